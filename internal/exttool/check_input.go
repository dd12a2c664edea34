package exttool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai/internal/process"
)

// sayIt is the advice for input that is wrong.
const sayIt = `Answer {"error": "What is wrong. What to do."} and exit with 0`

// unknown is a parameter that no tool has, in characters beyond ASCII.
const unknown = `"unknown_ä_世界_😀":"ü"`

// wrongInput runs the tool on input that its own schema refuses. In the harness
// such input does not get as far; a person at a shell is not so lucky.
func (c *trial) wrongInput() {
	var s jsonschema.Schema
	if json.Unmarshal(c.spec.Schema, &s) != nil {
		return
	}
	if len(s.Required) > 0 {
		c.wrong("a missing parameter is told", `{}`, s.Required[0])
	} else {
		c.add("a missing parameter is told", Skip, "No parameter is required", "")
	}
	name, value := wrongValue(s)
	if name == "" {
		c.add("a wrong type is told", Skip, "No parameter has a type", "")
	} else {
		c.wrong("a wrong type is told", string(object([]member{field(name, json.RawMessage(value))})), name)
	}
}

// wrong runs the tool on an input that it should refuse with the name of the
// parameter.
func (c *trial) wrong(name, input, parameter string) {
	ran, err := c.call([]byte(input))
	why, all := broken(ran, err)
	switch {
	case why != "" && err == nil && ran.Exit != 0 && !ran.TimedOut:
		c.add(name, Warn, "On "+input+": "+why, sayIt)
	case why != "":
		c.add(name, Fail, "On "+input+": "+why, sayIt)
	case !failed(all):
		c.add(name, Warn, "It took "+input+" as if nothing were wrong", sayIt)
	case !strings.Contains(string(object(all)), parameter):
		c.add(name, Warn, "On "+input+" it does not name "+parameter, sayIt)
	default:
		c.add(name, OK, "", "")
	}
}

// wrongValue returns a parameter and a value of another type than it has.
func wrongValue(s jsonschema.Schema) (name, value string) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		switch s.Properties[name].Type {
		case "string":
			return name, "[7]"
		case "integer", "number", "boolean", "array", "object":
			return name, `"wrong"`
		}
	}
	return "", ""
}

// rightInput runs the tool on input that it takes.
func (c *trial) rightInput() {
	rules := []string{"it answers with one JSON object", "input is read from standard input", "an unknown parameter breaks nothing",
		"other alphabets break nothing", "the answer is what returns declares", "what only reads writes nothing", "no process is left behind"}
	input, why := c.input()
	if input == nil {
		c.report.NotRun = true
		for _, rule := range rules {
			c.add(rule, Skip, why, "Name an input that does no harm with --input, or as examples in the schema")
		}
		return
	}
	ran, err := c.call(input)
	why, all := broken(ran, err)
	c.rule(rules[0], Fail, on(input, why), "Print one JSON object on standard output, everything else on standard error, and exit with 0 whatever was found")
	if why == "" {
		c.long(rules[1], input)
	} else {
		c.add(rules[1], Skip, "It does not answer as it is", "")
	}
	c.unknown(rules[2], rules[3], input)
	c.returns(rules[4], all)
	c.readOnly(rules[5])
	c.leftovers(rules[6], input)
}

// long gives the tool more input than an argument holds, all of it blanks.
func (c *trial) long(rule string, input []byte) {
	ran, err := c.call(slices.Concat(input[:1], bytes.Repeat([]byte{' '}, 200<<10), input[1:]))
	why, _ := broken(ran, err)
	c.rule(rule, Fail, on(input, why), "Read standard input where there is no argument: long input comes there alone")
}

func on(input []byte, why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf("On %s: %s", excerpt(input, 200), why)
}

// input returns an input that does no harm, nil and why if none is known.
func (c *trial) input() ([]byte, string) {
	given := []byte(c.Input)
	if len(given) == 0 && len(c.spec.Examples) > 0 {
		given = c.spec.Examples[0]
	}
	if len(given) > 0 {
		if _, ok := members(given); !ok {
			return nil, "The input " + excerpt(given, 100) + " is no JSON object"
		}
		return bytes.TrimSpace(given), ""
	}
	if !c.spec.ReadOnly {
		return nil, "The tool may change something, and no input is known that does no harm"
	}
	var s jsonschema.Schema
	if json.Unmarshal(c.spec.Schema, &s) != nil {
		return nil, "The schema cannot be read"
	}
	var all []member
	for _, name := range s.Required {
		all = append(all, field(name, made(s.Properties[name])))
	}
	return object(all), ""
}

// made makes up a value of a parameter.
func made(s *jsonschema.Schema) json.RawMessage {
	switch {
	case len(s.Default) > 0:
		return s.Default
	case len(s.Examples) > 0:
		return encode(s.Examples[0])
	case len(s.Enum) > 0:
		return encode(s.Enum[0])
	case s.Minimum != nil:
		return encode(*s.Minimum)
	}
	values := map[string]string{"integer": "1", "number": "1", "boolean": "false", "array": "[]", "object": "{}", "null": "null"}
	if value, ok := values[s.Type]; ok {
		return json.RawMessage(value)
	}
	return json.RawMessage(`"x"`)
}

// unknown adds a parameter that the tool does not have.
func (c *trial) unknown(rule, alphabets string, input []byte) {
	sep := ","
	if all, _ := members(input); len(all) == 0 {
		sep = ""
	}
	end := bytes.LastIndexByte(input, '}')
	with := slices.Concat(input[:end], []byte(sep+unknown), input[end:])
	ran, err := c.call(with)
	why, _ := broken(ran, err)
	if err == nil && ran.Exit != 0 && !ran.TimedOut {
		c.add(rule, Warn, on(with, why), sayIt)
	} else {
		c.rule(rule, Fail, on(with, why), sayIt)
	}
	why = ""
	if err == nil && !utf8.Valid(stream(ran.Output, process.Stdout)) {
		why = "It printed bytes that are no UTF-8"
	}
	c.rule(alphabets, Fail, why, "Read and write UTF-8")
}

// returns holds an answer against the declared returns.
func (c *trial) returns(rule string, all []member) {
	var s jsonschema.Schema
	switch {
	case len(c.spec.Returns) == 0:
		c.add(rule, Skip, "There is no returns", "")
		return
	case all == nil || failed(all):
		c.add(rule, Skip, "There was no answer, or an error", "Name an input that works with --input")
		return
	case json.Unmarshal(c.spec.Returns, &s) != nil:
		return // it was valid before
	}
	all = slices.DeleteFunc(all, func(m member) bool {
		return slices.Contains([]string{"_note", "_report", "bbResponse", "bbaiResponse", "_resources", "_images", "_frontmatter"}, m.name)
	})
	c.rule(rule, Fail, mismatch(&s, all), "Return what returns says, or correct returns")
}

// mismatch says how an answer is not what is declared.
func mismatch(s *jsonschema.Schema, all []member) string {
	for _, m := range all {
		if len(s.Properties) > 0 && s.Properties[m.name] == nil {
			return m.name + " is not declared"
		}
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return ""
	}
	var value any
	if err := json.Unmarshal(object(all), &value); err != nil {
		return err.Error()
	}
	if err := resolved.Validate(value); err != nil {
		text := err.Error()
		return text[strings.LastIndex(text, "validating ")+len("validating "):]
	}
	return ""
}

// readOnly looks for files that a tool which says that it only reads has made.
func (c *trial) readOnly(rule string) {
	if !c.spec.ReadOnly {
		c.add(rule, Skip, "The tool does not say that it only reads", "")
		return
	}
	entries, err := os.ReadDir(c.dir)
	why := ""
	if err == nil && len(entries) > 0 {
		why = "It made the file " + filepath.Base(entries[0].Name())
	}
	c.rule(rule, Fail, why, "Take out read_only: such tools run beside others, without being asked about, and nothing of theirs can be undone")
}
