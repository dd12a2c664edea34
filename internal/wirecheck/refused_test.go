package wirecheck_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"ikigai/internal/wirecheck"
)

var update = flag.Bool("update", false, "write what is refused into the cases")

// TestRefused holds what each wire refuses, and how the refusal names the place.
// A case is a title, a body and the refusal; a body that is a list stands for
// the messages of a plain one.
func TestRefused(t *testing.T) {
	for name, wire := range map[string]struct {
		check func([]byte) error
		plain string
	}{
		"chat":      {wirecheck.Chat, `{"model":"m","tools":[{"type":"function","function":{"name":"f"}}],"messages":%s}`},
		"messages":  {wirecheck.Messages, `{"model":"m","max_tokens":9000,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":%s}`},
		"responses": {wirecheck.Responses, `{"model":"m","store":false,"tools":[{"type":"function","name":"f"}],"input":%s}`},
		"gemini":    {wirecheck.Gemini, `{"tools":[{"functionDeclarations":[{"name":"f"}]}],"contents":%s}`},
		"gemini3":   {wirecheck.GeminiSigned, `{"contents":%s}`},
	} {
		t.Run(name, func(t *testing.T) {
			file := "testdata/" + name + ".txt"
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for _, c := range strings.Split(strings.TrimSpace(string(raw)), "\n\n") {
				title, rest, _ := strings.Cut(c, "\n")
				body, want, _ := strings.Cut(rest, "\n")
				full := body
				if strings.HasPrefix(body, "[") {
					full = fmt.Sprintf(wire.plain, body)
				}
				got := "valid"
				if err := wire.check([]byte(full)); err != nil {
					got = err.Error()
				}
				if got != want && !*update {
					t.Errorf("%s\n%s\ngot  %s\nwant %s", title, full, got, want)
				}
				fmt.Fprintf(&out, "%s\n%s\n%s\n\n", title, body, got)
			}
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Bytes that are no UTF-8 cannot stand in a file of cases.
func TestInvalidUTF8(t *testing.T) { // P2
	for _, check := range []func([]byte) error{wirecheck.Chat, wirecheck.Messages, wirecheck.Responses, wirecheck.Gemini} {
		if err := check([]byte("{\"model\":\"\xff\"}")); err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%v", err)
		}
	}
}
