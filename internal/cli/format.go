package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
)

// maxSchema bounds the schema of an answer, in bytes.
const maxSchema = 1 << 20

// format is the form that an answer must have.
type format struct {
	*ikigai.Format
	resolved *jsonschema.Resolved
}

// readFormat reads the JSON Schema of an answer from a file.
func readFormat(path string) (*format, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxSchema {
		err = errors.New("it is larger than 1 MiB")
	}
	var raw []byte
	if err == nil {
		raw, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, usage("The schema "+path+" cannot be read: "+err.Error(), "Check the path")
	}
	return parseFormat(path, raw)
}

// parseFormat returns the form that a JSON Schema describes, of which people know
// as name.
func parseFormat(name string, raw []byte) (*format, error) {
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, usage(name+" is no JSON Schema: "+schemaFault(raw, err), "Correct it")
	}
	if schema.Type != "object" {
		return nil, usage(name+" describes something else than an object", `Give it "type": "object", which all vendors want`)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, usage(name+" is no JSON Schema that can be checked: "+lastClause(err), "Correct it; what it refers to must stand in it")
	}
	return &format{&ikigai.Format{Name: formatName(name), Schema: raw}, resolved}, nil
}

// formatName makes a name that all vendors take of a file's.
func formatName(path string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	name := strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, base)
	if name == "" {
		return "answer"
	}
	return name[:min(len(name), 64)]
}

// check says what of an answer, which is JSON, does not fit.
func (f *format) check(answer string) error {
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		return fmt.Errorf("it is not valid JSON: %w", err)
	}
	if err := f.resolved.Validate(value); err != nil {
		return errors.New(lastClause(err))
	}
	return nil
}

// schemaFault says what is wrong with raw, which is no JSON Schema.
func schemaFault(raw []byte, err error) string {
	wrong := new(json.UnmarshalTypeError)
	var object map[string]json.RawMessage
	switch {
	case !json.Valid(raw):
		return "it is not valid JSON: " + err.Error()
	case json.Unmarshal(raw, &object) != nil:
		return "it is no JSON object"
	case errors.As(err, &wrong) && wrong.Field != "":
		return wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:] + " cannot be a JSON " + wrong.Value
	}
	return "something in it does not have the type that JSON Schema wants"
}

// lastClause returns what err comes down to. The library tells the way there
// before it, each step as "validating /properties/name: ".
func lastClause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "validating /"); i >= 0 {
		text = strings.ReplaceAll(text[i+len("validating "):], "/properties/", "/")
	}
	text = strings.TrimPrefix(text, "validating root: ")
	for _, own := range []string{"jsonschema.Schema: ", "Schema.Resolve: ", "<anonymous schema>: "} {
		text = strings.ReplaceAll(text, own, "")
	}
	return text
}
