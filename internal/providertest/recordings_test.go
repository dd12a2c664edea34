package providertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Any directory of the form will do: the little that it holds is tried, and what
// it does not hold is no failure.
func TestOtherRecordings(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("IKIGAI_FIXTURES", dir)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(indexFile, `{"section":"http","file":"a.json","n":1,"api":"openai.chat","provider":"acme","features":["stream"]}`+"\n")
	write("a.json", `{"interactions":[{"n":0},{"n":1,"request":{"url":"u","body":"b"},"response":{"status":429,"headers":{"retry-after":["3"]},"body":"no"}}]}`)

	if Known(t) {
		t.Error("they are taken for those that the minima are of")
	}
	if all := Recordings(t, "gemini.stream"); len(all) != 0 {
		t.Errorf("recordings of another interface: %v", all)
	}
	all := Recordings(t, "openai.chat")
	if len(all) != 1 || all[0].Status != 429 || all[0].Header.Get("Retry-After") != "3" || all[0].Request != "b" || !all[0].Stream {
		t.Errorf("got %+v", all)
	}
}

func TestTally(t *testing.T) {
	var tally Tally
	if got, want := tally.String(), "0 tried, 0 passed, 0 not applicable"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
	for i := range 3 {
		tally.Try(t, fmt.Sprint(i), func(*testing.T) {})
	}
	for _, why := range []string{"a refusal", "no reply", "a refusal"} {
		tally.Leave(why)
	}
	if got, want := tally.String(), "3 tried, 3 passed, 3 not applicable: a refusal (2); no reply (1)"; got != want {
		t.Errorf("got %q, not %q", got, want)
	}
}
