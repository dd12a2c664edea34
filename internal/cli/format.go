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
	schema := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, schema); err != nil {
		return nil, usage(path+" is no JSON Schema: "+err.Error(), "Correct it")
	}
	if schema.Type != "object" {
		return nil, usage(path+" describes something else than an object", `Give it "type": "object", which all vendors want`)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return nil, usage(path+" is no JSON Schema that can be checked: "+err.Error(), "Correct it")
	}
	return &format{&ikigai.Format{Name: formatName(path), Schema: raw}, resolved}, nil
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
	return f.resolved.Validate(value)
}
