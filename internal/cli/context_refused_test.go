package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/config"
)

// refusing is a model whose context nobody has told the program of, nor its
// settings: what it takes is found out when it refuses.
const refusing = `
%s

user: look
call: bash {"command": "seq 1 3000"}

reply:
call: bash {"command": "seq 1 3001"}

reply:
call: bash {"command": "seq 1 3002"}

reply:
call: bash {"command": "seq 1 3003"}

reply:
say: I looked.

user: again
say: I looked again.

side: summary
say: It was about numbers.
`

// vendorPlace is a place whose model is spoken to in the protocol api.
func vendorPlace(t *testing.T, api, script string) *place {
	t.Helper()
	p := newPlace(t, script)
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"),
		fmt.Appendf(nil, `{"model": "test/scripted", "objectives": "text", "vendors": {"test": {"base_url": %q, "api": %q}}}`, p.server.URL, api), 0o600))
	return p
}

// When a vendor says that its context is full the conversation is put in fewer
// words and asked once more, in every vendor's protocol; the next statement knows
// how much it takes. P12
func TestContextRefused(t *testing.T) {
	t.Parallel()
	for _, api := range []string{config.APIChat, config.APIResponses, config.APIAnthropic, config.APIGemini} {
		t.Run(api, func(t *testing.T) {
			p := vendorPlace(t, api, fmt.Sprintf(refusing, "context: 13500"))
			p.run(exitAnswered, "run", "look").tells(1, "2 results cut")
			events := p.log()
			projections := of(ikigai.KindProjection, events)
			var d ikigai.ProjectionData
			if len(projections) != 1 || projections[0].DecodeData(&d) != nil || d.Reason != ikigai.FitRefused || d.After >= d.Before {
				t.Fatalf("%d projections, %+v", len(projections), d)
			}
			if n := len(of(ikigai.KindRequest, events)); n != 6 {
				t.Errorf("%d requests for 5 replies, one of which was refused", n)
			}
			if n := len(of(ikigai.KindError, events)); n != 0 {
				t.Errorf("%d errors", n)
			}
			p.run(exitAnswered, "run", "--continue", "again")
			if n := len(of(ikigai.KindProjection, p.log())); n != 1 {
				t.Errorf("%d projections after the next statement", n)
			}
		})
	}
}

// A conversation that does not fit even then ends with an error that says so,
// after one more attempt at most. P12
func TestContextTooSmall(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fmt.Sprintf(refusing, "context: 500"))
	c := p.run(exitContext, "run", "look")
	c.tells(1, "does not fit")
	if n := p.count.Load(); n > 2 {
		t.Errorf("it was asked %d times", n)
	}
	for _, limit := range []string{"1000", "2000"} { // known before: nothing is asked
		before := p.count.Load()
		cmd := p.command("run", "--set", "context_limit="+limit, "look "+strings.Repeat("closely ", 2000))
		c := startChild(t, cmd)
		c.ends(exitContext)
		c.tells(1, "cannot be sent in fewer words")
		if n := p.count.Load() - before; n != 0 {
			t.Errorf("limit %s: it was asked %d times", limit, n)
		}
	}
}

// A person can have it done at any time; the log keeps what it was.
func TestCompactCommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fmt.Sprintf(refusing, ""))
	p.run(exitAnswered, "run", "look")
	p.run(exitAnswered, "run", "--continue", "again")
	c := p.run(exitAnswered, "compact")
	if out := c.out.String(); !strings.Contains(out, "Older tool results") || !strings.Contains(out, "tokens") {
		t.Errorf("compact said %q", out)
	}
	var d ikigai.ProjectionData
	must(t, of(ikigai.KindProjection, p.log())[0].DecodeData(&d))
	if d.Reason != ikigai.FitPerson || len(d.Trimmed) == 0 {
		t.Errorf("the projection is %+v", d)
	}
	for _, r := range d.Trimmed {
		info, err := os.Stat(r.File)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() < 5_000 {
			t.Errorf("the whole of result %d: %v, %v", r.Seq, info, err)
		}
	}
	p.run(exitAnswered, "run", "--continue", "again")
	if body := p.body(); !strings.Contains(body, "Trimmed to save room") || !strings.Contains(body, d.Trimmed[0].File) {
		t.Errorf("sent was %s", body)
	}
	times := 0
	for ; times < 9; times++ { // each time there is less to leave out
		c := p.start("compact")
		within(t, c.ended, "end of compact")
		if c.cmd.ProcessState.ExitCode() == exitInternal {
			c.tells(1, "cannot take noticeably less room")
			break
		}
	}
	p.run(exitAnswered, "run", "--continue", "again")
	if body := p.body(); times == 9 || !strings.Contains(body, "It was about numbers.") || strings.Contains(body, "Trimmed to save room") {
		t.Errorf("after %d times sent was %s", times, body)
	}
}
