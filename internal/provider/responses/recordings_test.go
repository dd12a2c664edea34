package responses

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
)

// Every recorded reply decodes to what a second reading of it says, whole and
// in pieces, and what is to go back with it fits it. S1.12, S1.13, S1.17,
// S2.16, S2.75.
func TestRecorded(t *testing.T) {
	var tally providertest.Tally
	streams := 0
	for _, rec := range providertest.Recordings(t, "openai.responses") {
		if reason := noReply(rec); reason != "" {
			tally.Leave(reason)
			continue
		}
		if rec.Stream {
			streams++
		}
		tally.Try(t, rec.Name, func(t *testing.T) { checkRecording(t, rec, tally.Tried%race.Tenth == 0) })
	}
	tally.Report(t)
	t.Logf("%d streams", streams)
	if providertest.Known(t) && (tally.Tried < 530 || streams < 160) {
		t.Error("some recordings are missing")
	}
}

// noReply says why a recording is no reply of the interface, "" if it is one.
func noReply(rec providertest.Recording) string {
	if rec.Status != http.StatusOK {
		return fmt.Sprintf("refused with status %d", rec.Status)
	}
	var whole struct{ Object string }
	if json.Unmarshal([]byte(rec.Body), &whole) == nil && whole.Object != "response" {
		return fmt.Sprintf("an object %q", whole.Object)
	}
	return ""
}

func checkRecording(t *testing.T, rec providertest.Recording, split bool) {
	want := readReference(t, rec.Body)
	got := collect(t, oneByteAfter(rec.Body, len(rec.Body)))
	if got.Text != want.text || got.Thinking != want.thinking || got.Refusal != want.refusal {
		t.Errorf("text %q, thinking %q, refusal %q; want %q, %q, %q", got.Text, got.Thinking, got.Refusal, want.text, want.thinking, want.refusal)
	}
	if diff := cmp.Diff(want.calls, got.Calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got.Stop != want.stop() || (got.Err == nil) != (want.stop() != "") {
		t.Errorf("stop %q, error %v; want stop %q", got.Stop, got.Err, want.stop())
	}
	var usage ikigai.Usage
	if got.Usage != nil {
		usage = *got.Usage
	}
	if float64(usage.Input) != want.input || float64(usage.Output) != want.output {
		t.Errorf("usage %+v; want %v and %v", usage, want.input, want.output)
	}
	if got.Vendor != nil && provider.LayoutOf(config.Name, messagesOf(got)) == nil {
		t.Errorf("%s does not fit the reply", got.Vendor)
	}
	if split {
		checkSplits(t, rec.Body, got.String())
	}
}

// checkSplits decodes a reply byte by byte, and in two pieces: at every byte
// where it is short, and at every byte of its ends and some between them where
// it is long.
func checkSplits(t *testing.T, stream, want string) {
	t.Helper()
	if got := collect(t, oneByteAfter(stream, 0)).String(); got != want {
		t.Errorf("byte by byte:\n%s", cmp.Diff(want, got))
		return
	}
	const short, edge = 400, 20
	random := rand.New(rand.NewPCG(1, 2))
	for i := 1; i < len(stream); i++ {
		if len(stream) > short && i > edge && i < len(stream)-edge && random.IntN(len(stream)) > 6 {
			continue
		}
		if got := collect(t, []string{stream[:i], stream[i:]}).String(); got != want {
			t.Errorf("split at %d:\n%s", i, cmp.Diff(want, got))
			return
		}
	}
}

// oneByteAfter returns the first n bytes of s and then each byte.
func oneByteAfter(s string, n int) []string {
	pieces := []string{s[:n]}
	for ; n < len(s); n++ {
		pieces = append(pieces, s[n:n+1])
	}
	return pieces
}
