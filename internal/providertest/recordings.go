package providertest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Recording is an answer that a vendor once gave, and what it was given to.
type Recording struct {
	Name     string // of the file, and the number of the interaction in it
	Provider string
	Features []string
	Metrics  struct {
		ToolCalls int `json:"tool_calls"`
	}
	Status int
	Header http.Header
	Body   string // server-sent events where Stream is set
	Stream bool

	URL     string // that was asked, where it was recorded
	Request string // the body
}

// Has reports whether the recording shows a feature.
func (r Recording) Has(feature string) bool { return slices.Contains(r.Features, feature) }

// indexFile lists what a directory of recordings holds, an entry a line.
const indexFile = "index.jsonl"

// known is the SHA-256 of the index of the recordings that tests were written
// with.
const known = "34353d2955289a964c6f57c014d1c8474f15f5755eb59f7568f2cb1aeac11ea0"

// Known reports whether the recordings are those that tests were written with.
// Only of them a test can say how many there have to be, and what they show.
func Known(t *testing.T) bool {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(directory(t), indexFile))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]) == known
}

// directory returns the directory that IKIGAI_FIXTURES names. Without it the
// test is skipped, but not where CI is true.
func directory(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	return dir
}

// Recordings returns the answers of one kind of interface, such as
// openai.chat, that lie in the directory which IKIGAI_FIXTURES names; it logs
// that there are none. Without the variable the test is skipped, but not where
// CI is true.
func Recordings(t *testing.T, api string) []Recording {
	t.Helper()
	dir := directory(t)
	index, err := os.Open(filepath.Join(dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	l := &loader{t: t, dir: dir, sessions: map[string][]interaction{}}
	var all []Recording
	lines := bufio.NewScanner(index)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var e indexEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.API == api && !strings.Contains(e.File, ".request.") {
			all = append(all, l.load(e))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Logf("not applicable: no recording of %s", api)
	}
	return all
}

type indexEntry struct {
	Recording
	Section, File, API, Framing string
	N                           int
}

type interaction struct {
	N        int
	Request  struct{ URL, Body string }
	Response struct {
		Status  int
		Headers map[string][]string
		Body    string
	}
}

type loader struct {
	t        *testing.T
	dir      string
	sessions map[string][]interaction
}

func (l *loader) read(file string) []byte {
	raw, err := os.ReadFile(filepath.Join(l.dir, file))
	if err != nil {
		l.t.Fatal(err)
	}
	return raw
}

func (l *loader) load(e indexEntry) Recording {
	r := e.Recording
	r.Name, r.Stream = e.File, r.Has("stream")
	if e.Section == "raw" {
		r.Status, r.Body = http.StatusOK, reframe(e.Framing, string(l.read(e.File)))
		return r
	}
	if l.sessions[e.File] == nil {
		var session struct{ Interactions []interaction }
		if err := json.Unmarshal(l.read(e.File), &session); err != nil {
			l.t.Fatal(err)
		}
		l.sessions[e.File] = session.Interactions
	}
	for _, i := range l.sessions[e.File] {
		if i.N == e.N {
			r.Status, r.Body, r.Header = i.Response.Status, i.Response.Body, http.Header{}
			r.URL, r.Request = i.Request.URL, i.Request.Body
			for name, values := range i.Response.Headers {
				r.Header[http.CanonicalHeaderKey(name)] = values
			}
		}
	}
	return r
}

// reframe gives the framing of server-sent events back to payloads that were
// stored a line each.
func reframe(framing, body string) string {
	if !strings.HasPrefix(framing, "json-lines") {
		return body
	}
	var b strings.Builder
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		var envelope struct{ Data string }
		if strings.Contains(framing, "envelope") && json.Unmarshal([]byte(line), &envelope) == nil {
			line = envelope.Data
		}
		if line != "" {
			b.WriteString("data: " + line + "\n\n")
		}
	}
	return b.String()
}
