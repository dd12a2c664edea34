module ikigai/internal/oracle

go 1.26.0

replace ikigai => ../..

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/jsonschema-go v0.4.3
	github.com/openai/openai-go/v3 v3.95.0
	go.yaml.in/yaml/v3 v3.0.5
	ikigai v0.0.0
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
