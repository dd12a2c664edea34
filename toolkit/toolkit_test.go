package toolkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/toolkit"
)

type input struct {
	City  string   `json:"city" jsonschema:"Name of the city"`
	Days  int      `json:"days" default:"3" minimum:"1" maximum:"10"`
	Unit  string   `json:"unit,omitempty" enum:"C,F"`
	Extra []string `json:"extra,omitempty"`
}

type output struct {
	City string `json:"city"`
	Days int    `json:"days"`
	toolkit.Extra
}

func weather(_ context.Context, in input) (output, error) {
	switch in.City {
	case "nowhere":
		return output{}, toolkit.Failure("NO_SUCH_CITY", "City not found: nowhere", "Check the name")
	case "plain":
		return output{}, errors.New("no luck")
	case "panic":
		panic("broken")
	}
	return output{in.City, in.Days, toolkit.Extra{Note: "n", Report: "r", Resources: []toolkit.Resource{{URI: "a", Changed: true}},
		Images: []toolkit.Image{{Type: "image/png", Data: []byte("x")}}, Frontmatter: []string{"days"}}}, nil
}

func serve(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	tool := toolkit.New("weather", "Forecast.", weather)
	tool.ReadOnly = true
	var out, err strings.Builder
	code = tool.Serve(context.Background(), args, strings.NewReader(stdin), &out, &err)
	return code, strings.TrimSpace(out.String()), err.String()
}

// A typed function is a tool: its schema comes from the types, members for the
// harness are left out of it.
func TestSchema(t *testing.T) {
	code, got, _ := serve(t, "", "--schema")
	want := `{"name":"weather","description":"Forecast.","parameters":{"type":"object","properties":{` +
		`"city":{"type":"string","description":"Name of the city"},"days":{"type":"integer","default":3,"minimum":1,"maximum":10},` +
		`"unit":{"type":"string","enum":["C","F"]},"extra":{"type":["null","array"],"items":{"type":"string"}}},"required":["city"],"additionalProperties":false},` +
		`"returns":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city","days"],"additionalProperties":false},"read_only":true}`
	var a, b any
	if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(got), &b) != nil || code != 0 {
		t.Fatalf("%d: %s", code, got)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if strings.Index(got, `"city"`) > strings.Index(got, `"days"`) {
		t.Error("the parameters are not in the order of the fields")
	}
}

// Input comes as the argument or on standard input; what does not fit is
// answered, and so are errors; a panic is a fault of the tool.
func TestServe(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		code        int
		want        string
	}{
		{"argument", "", []string{`{"city":"Oslo"}`}, 0, `{"city":"Oslo","days":3,"_note":"n"`},
		{"envelope", "", []string{`{"city":"O"}`}, 0,
			`"_note":"n","_report":"r","_resources":[{"uri":"a","changed":true}],"_images":[{"media_type":"image/png","data":"eA=="}],"_frontmatter":["days"]}`},
		{"standard input", `{"city":"Oslo","days":5}`, nil, 0, `{"city":"Oslo","days":5`},
		{"missing", "", []string{`{}`}, 0, `{"error":"The parameter city is missing. Add it.","error_code":"INVALID_PARAMS"}`},
		{"unknown", "", []string{`{"city":"Oslo","ä":1}`}, 0, `{"error":"There is no parameter ä. Use city, days, unit, extra.","error_code":"INVALID_PARAMS"}`},
		{"wrong type", "", []string{`{"city":[7]}`}, 0, `The parameter city does not fit: `},
		{"out of range", "", []string{`{"city":"Oslo","days":11}`}, 0, `Send a value of type integer from 1 to 10.`},
		{"not of the words", "", []string{`{"city":"Oslo","unit":"K"}`}, 0, `Send one of C, F.`},
		{"no object", "", []string{`[]`}, 0, `{"error":"The input is no JSON object. `},
		{"no JSON", "hello", nil, 0, `INVALID_PARAMS`},
		{"failure", "", []string{`{"city":"nowhere"}`}, 0, `{"error":"City not found: nowhere. Check the name.","error_code":"NO_SUCH_CITY"}`},
		{"error", "", []string{`{"city":"plain"}`}, 0, `{"error":"no luck"}`},
		{"panic", "", []string{`{"city":"panic"}`}, 1, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := serve(t, test.stdin, test.args...)
			if code != test.code || !strings.Contains(stdout, test.want) || (code != 0) != strings.Contains(stderr, "weather broke: broken") {
				t.Errorf("%d: %s\n%s\nwant %s", code, stdout, stderr, test.want)
			}
			if code == 0 && !json.Valid([]byte(stdout)) {
				t.Errorf("no JSON: %s", stdout)
			}
		})
	}
}

// What is wrong with an input is said in words that a model can act on.
func TestMisfit(t *testing.T) {
	for args, want := range map[string]string{
		`{"city":7}`:                `The parameter city does not fit: it is 7. Send a value of type string.`,
		`{"city":"x","days":50}`:    `The parameter days does not fit: it is 50. Send a value of type integer from 1 to 10.`,
		`{"city":"x","days":null}`:  `The parameter days does not fit: it is null. Send a value of type integer from 1 to 10.`,
		`{"city":"x","unit":"K"}`:   `The parameter unit does not fit: it is "K". Send one of C, F.`,
		`{"city":"x","extra":[7]}`:  `The parameter extra does not fit: 7 has type "integer", want "string". Send a list.`,
		`{"city":"x","extra":"no"}`: `The parameter extra does not fit: it is "no". Send a list.`,
	} {
		_, stdout, _ := serve(t, "", args)
		var answer struct {
			Error string `json:"error"`
		}
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.Error != want {
			t.Errorf("%s: %s", args, stdout)
		}
	}
}

// Types that are no objects are found when the program is begun.
func TestUnusableTypes(t *testing.T) {
	for name, f := range map[string]func(){
		"input":  func() { toolkit.New("x", "X.", func(context.Context, string) (output, error) { return output{}, nil }) },
		"output": func() { toolkit.New("x", "X.", func(context.Context, input) (string, error) { return "", nil }) },
		"channel": func() {
			toolkit.New("x", "X.", func(context.Context, struct{ C chan int }) (output, error) { return output{}, nil })
		},
		"default": func() {
			toolkit.New("x", "X.", func(context.Context, struct {
				N int `json:"n" default:"many"`
			}) (output, error) {
				return output{}, nil
			})
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			f()
		}()
	}
}

func ExampleNew() {
	type in struct {
		Name string `json:"name" jsonschema:"Whom to greet"`
	}
	type out struct {
		Output string `json:"output"`
	}
	tool := toolkit.New("greet", "Greet somebody.", func(_ context.Context, in in) (out, error) {
		return out{"Hello, " + in.Name + "."}, nil
	})
	tool.Serve(context.Background(), []string{`{"name":"Ada"}`}, nil, os.Stdout, os.Stderr)
	// Output: {"output":"Hello, Ada."}
}
