package schema

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// function is a tool of the Berkeley Function Calling Leaderboard.
type function struct {
	Name       string
	Parameters json.RawMessage
}

// entry is a question with the calls that answer it: per parameter the values
// that are right, "" for one that may be left out.
type entry struct {
	Question struct{ Function []function }
	Answer   *struct {
		GroundTruth []map[string]map[string][]json.RawMessage `json:"ground_truth"`
	}
}

// TestFunctions checks the answers of the leaderboard as calls of its tools, whose
// schemas name types of Python.
// Each is accepted; without what is required, each is refused in words that
// name all of it.
func TestFunctions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(suites(t, "bfcl"), "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	calls, accepted, refused := 0, 0, 0
	for _, file := range files {
		for _, e := range entries(t, file) {
			if e.Answer == nil {
				continue
			}
			for _, call := range e.Answer.GroundTruth {
				for name, args := range call {
					f := e.function(name)
					if f == nil {
						t.Errorf("%s: no function %s", filepath.Base(file), name)
						continue
					}
					calls++
					if f.accepts(t, args) {
						accepted++
					}
					if f.refusesNothing(t) {
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d of %d calls are accepted; %d without what is required are refused by name", accepted, calls, refused)
	if calls < 500 {
		t.Errorf("only %d calls", calls)
	}
}

func entries(t *testing.T, file string) (all []entry) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Buffer(nil, 16<<20); lines.Scan(); {
		var e entry
		// Answers of several turns have another form, and call no tool by schema.
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			all = append(all, e)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (e entry) function(name string) *function {
	i := slices.IndexFunc(e.Question.Function, func(f function) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &e.Question.Function[i]
}

// wrongAnswers are functions whose answers do not fit their schema, with the
// reason.
var wrongAnswers = map[string]string{
	"ControlAppliance.execute": "an answer is none of the values that the schema lists",
	"record":                   "answers leave out what the schema requires",
}

// accepts checks the first of the right answers.
func (f *function) accepts(t *testing.T, right map[string][]json.RawMessage) bool {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(right)) {
		if values := right[name]; len(values) > 0 && string(values[0]) != `""` {
			args = append(args, string(quoteJSON(name))+":"+string(plainAnswer(values[0])))
		}
	}
	input := json.RawMessage("{" + strings.Join(args, ",") + "}")
	_, err := Checker(f.Parameters)(input)
	if err != nil && wrongAnswers[f.Name] == "" {
		t.Errorf("%s %s: %v", f.Name, input, err)
	}
	return err == nil
}

// plainAnswer takes the first of the values that are right inside an object.
func plainAnswer(raw json.RawMessage) json.RawMessage {
	given := members(raw)
	if len(given) == 0 {
		if list := elements(raw); len(list) > 0 {
			out := &writer{}
			for _, e := range list {
				out.item(plainAnswer(e))
			}
			return out.array()
		}
		return raw
	}
	out := &writer{}
	for _, m := range given {
		if values := elements(m.value); len(values) > 0 && string(values[0]) != `""` {
			out.add(m.key, plainAnswer(values[0]))
		}
	}
	return out.object()
}

// refusesNothing reports whether a call without arguments is refused with the
// names of all that is required.
func (f *function) refusesNothing(t *testing.T) bool {
	required := namesIn(objectOf(f.Parameters)["required"])
	_, err := Checker(f.Parameters)(nil)
	if (err != nil) != (len(required) > 0) {
		t.Errorf("%s requires %q: %v", f.Name, required, err)
	}
	for _, name := range required {
		if !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("%s: %s is not named: %v", f.Name, name, err)
		}
	}
	return err != nil
}
