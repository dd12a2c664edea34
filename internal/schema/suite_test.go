package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suites returns the directory of public suites of schemas. Where it is missing
// the test is skipped, but not in CI.
func suites(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	return filepath.Join(dir, "suites", name)
}

// group is a schema of JSON-Schema-Test-Suite with values and verdicts.
type group struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// TestSuite holds input against the verdicts of JSON-Schema-Test-Suite: as the
// input of a tool where it is an object, and as a parameter of one.
func TestSuite(t *testing.T) {
	dir := suites(t, "json-schema")
	ran, right, formats := 0, 0, 0
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var groups []group
		if err := json.Unmarshal(raw, &groups); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		file, _ := filepath.Rel(dir, path)
		for _, g := range groups {
			name := file + ": " + g.Description
			wrong, cases := g.run(t, file)
			ran += cases
			right += cases - len(wrong)
			if exceptionFor(name) == onlyTold {
				formats += len(wrong)
			}
			seen[name] = true
			if reason := exceptionFor(name); len(wrong) > 0 && reason == "" {
				t.Errorf("%s:\n%s", name, strings.Join(wrong, "\n"))
			} else if len(wrong) == 0 && exceptions[name] != "" {
				t.Errorf("%s: is judged as the suite does: take it off the list", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range exceptions {
		if !seen[name] && !strings.HasSuffix(name, "/") {
			t.Errorf("no group %q", name)
		}
	}
	t.Logf("%d of %d cases are judged as the suite does, %.1f %%; formats aside, %.1f %%",
		right, ran, 100*float64(right)/float64(ran), 100*float64(right)/float64(ran-formats))
	if ran < 1000 {
		t.Errorf("only %d cases", ran)
	}
}

var localRef = regexp.MustCompile(`("\$ref":\s*"#)(/?)`)

// run returns the cases of g that are not judged as they should be.
func (g group) run(t *testing.T, file string) (wrong []string, cases int) {
	draft := "https://json-schema.org/draft/2020-12/schema"
	if strings.HasPrefix(file, "draft7") {
		draft = "http://json-schema.org/draft-07/schema#"
	}
	moved := localRef.ReplaceAll(g.Schema, []byte(`${1}/properties/x${2}`))
	asParameter := Checker(json.RawMessage(`{"$schema":"` + draft + `","type":"object","properties":{"x":` + string(moved) + `},"required":["x"]}`))
	asInput := Checker(bytes.Replace(g.Schema, []byte("{"), []byte(`{"$schema":"`+draft+`",`), 1))
	if bytes.Contains(g.Schema, []byte(`"$schema"`)) || !bytes.HasPrefix(g.Schema, []byte("{\n")) {
		asInput = Checker(g.Schema)
	}
	for _, c := range g.Tests {
		judge := func(how string, check func(json.RawMessage) (json.RawMessage, error), args string) {
			cases++
			if _, err := check(json.RawMessage(args)); (err == nil) != c.Valid {
				wrong = append(wrong, how+" "+c.Description+": "+args)
			}
		}
		if !strings.Contains(string(g.Schema), `"$id"`) {
			judge("parameter", asParameter, `{"x":`+string(c.Data)+`}`)
		}
		if data := bytes.TrimSpace(c.Data); data[0] == '{' {
			judge("input", asInput, string(data))
		}
	}
	return wrong, cases
}

func exceptionFor(name string) string {
	for part, reason := range exceptions {
		if name == part || strings.HasSuffix(part, "/") && strings.HasPrefix(name, part) {
			return reason
		}
	}
	return ""
}

// Reasons for exceptions.
const (
	onlyTold   = "a format is what a schema tells of a text; whether a text has it is for the tool to say"
	address    = "references lead elsewhere than to a place in the document, which is not followed: nothing is fetched, and none may go round in circles"
	dialect    = "patterns are of RE2, whose white space is ASCII; one that it does not know leaves the decision to the tool"
	content    = "what a text holds in another encoding is for the tool to say"
	floats     = "a number beyond 2^53 is known to some places only"
	moved      = "the test itself moves a reference that is data here"
	vocabulary = "a schema of schemas of its own is not fetched"
)

// exceptions are the groups, or directories, of which cases are judged
// otherwise, with the reason.
var exceptions = map[string]string{
	"draft2020-12/optional/format/": onlyTold,
	"draft7/optional/format/":       onlyTold,

	`draft2020-12/defs.json: validate definition against metaschema`:                                                                    address,
	`draft2020-12/optional/dynamicRef.json: $dynamicRef skips over intermediate resources - pointer reference across resource boundary`: address,
	`draft2020-12/optional/ecmascript-regex.json: ECMA 262 regex escapes control codes with \c and upper letter`:                        dialect,
	`draft2020-12/optional/ecmascript-regex.json: ECMA 262 regex escapes control codes with \c and lower letter`:                        dialect,
	`draft2020-12/optional/ecmascript-regex.json: ECMA 262 \s matches whitespace`:                                                       dialect,
	`draft2020-12/optional/ecmascript-regex.json: ECMA 262 \S matches everything but whitespace`:                                        dialect,
	`draft2020-12/optional/float-overflow.json: all integers are multiples of 0.5, if overflow is handled`:                              floats,
	`draft2020-12/ref.json: remote ref, containing refs itself`:                                                                         address,
	`draft2020-12/ref.json: Recursive references between schemas`:                                                                       address,
	`draft2020-12/ref.json: naive replacement of $ref with its destination is not correct`:                                              moved,
	`draft2020-12/ref.json: refs with relative uris and defs`:                                                                           address,
	`draft2020-12/ref.json: relative refs with absolute uris and defs`:                                                                  address,
	`draft2020-12/ref.json: simple URN base URI with $ref via the URN`:                                                                  address,
	`draft2020-12/ref.json: URN base URI with URN and JSON pointer ref`:                                                                 address,
	`draft2020-12/ref.json: URN base URI with URN and anchor ref`:                                                                       address,
	`draft2020-12/unevaluatedProperties.json: unevaluatedProperties with $dynamicRef`:                                                   address,
	`draft2020-12/vocabulary.json: schema that uses custom metaschema with with no validation vocabulary`:                               vocabulary,
	`draft7/definitions.json: validate definition against metaschema`:                                                                   address,
	`draft7/optional/content.json: validation of string-encoded content based on media type`:                                            content,
	`draft7/optional/content.json: validation of binary string-encoding`:                                                                content,
	`draft7/optional/content.json: validation of binary-encoded media type documents`:                                                   content,
	`draft7/optional/cross-draft.json: refs to future drafts are processed as future drafts`:                                            address,
	`draft7/optional/ecmascript-regex.json: ECMA 262 regex escapes control codes with \c and upper letter`:                              dialect,
	`draft7/optional/ecmascript-regex.json: ECMA 262 regex escapes control codes with \c and lower letter`:                              dialect,
	`draft7/optional/ecmascript-regex.json: ECMA 262 \s matches whitespace`:                                                             dialect,
	`draft7/optional/ecmascript-regex.json: ECMA 262 \S matches everything but whitespace`:                                              dialect,
}
