// Package providertest proves a vendor's package against cases: what is sent
// for a conversation, and what becomes of the stream that answers it. It goes
// the whole way through a real HTTP server on the loopback.
//
// A case is a txtar file:
//
//	-- conversation --   one JSON object a line: {"tools":[…]}, {"tool_choice":"none"},
//	                     {"max_output":9}, or an event: {"kind":"user","content":"hi"};
//	                     a result may have "feedback", and "bytes" fills its media parts
//	-- request.json --   the body that is sent
//	-- response --       optional: the status, then headers, one a line
//	-- stream --         the body of the answer
//	-- reply --          what the deltas come to
package providertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ikigai"
	"ikigai/internal/race"
)

// Suite is the cases of one vendor's package.
type Suite struct {
	Dir    string // of the cases, *.txtar
	Update bool   // writes what is sent and decoded into the cases

	// New returns the model under test, whose vendor listens at baseURL. It
	// must not try a request more than once.
	New func(baseURL string) ikigai.Model
}

// Run runs all cases as subtests.
func (s Suite) Run(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", s.Dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { s.run(t, file) })
	}
}

func (s Suite) run(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	req, err := ParseConversation(sections["conversation"])
	if err != nil {
		t.Fatal(err)
	}
	v := newVendor(t, sections["response"], sections["stream"])
	model := s.New(v.URL)

	reply := Collect(t, model, req)
	got := map[string]string{"request.json": string(v.sent()) + "\n", "reply": reply.String()}
	if s.Update {
		update(t, file, archive, got)
		return
	}
	for name, text := range got {
		if diff := cmp.Diff(sections[name], text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	t.Run("pieces", func(t *testing.T) { checkPieces(t, v, model, req, got["reply"]) })
	t.Run("memo", func(t *testing.T) { checkMemo(t, v, model, req) })
	if strings.Contains(sections["conversation"], `"feedback":`) {
		t.Run("feedback", func(t *testing.T) { CheckFeedback(t, model, req) })
	}
}

// update writes the sections that got names.
func update(t *testing.T, file string, a *txtar.Archive, got map[string]string) {
	t.Helper()
	var files []txtar.File
	for _, name := range []string{"conversation", "request.json", "response", "stream", "reply"} {
		for _, f := range a.Files {
			if _, replaced := got[name]; f.Name == name && !replaced {
				files = append(files, f)
			}
		}
		if text, ok := got[name]; ok {
			files = append(files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	a.Files = files
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// vendor is a server that gives one answer to everything.
type vendor struct {
	*httptest.Server
	status int
	header http.Header
	stream string

	mu     sync.Mutex
	pieces []string // of stream, sent one after the other
	body   []byte   // of the last request
}

func newVendor(t *testing.T, response, stream string) *vendor {
	v := &vendor{status: http.StatusOK, header: http.Header{"Content-Type": {"text/event-stream"}}, stream: stream}
	for i, line := range strings.Split(strings.TrimSpace(response), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			v.header.Set(name, strings.TrimSpace(value))
		} else if n, err := strconv.Atoi(line); i == 0 && err == nil {
			v.status = n
		}
	}
	v.pieces = []string{stream}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	return v
}

// ServeHTTP implements http.Handler.
func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	v.body = body
	pieces := v.pieces
	v.mu.Unlock()
	if r.ContentLength != int64(len(body)) {
		http.Error(w, "the length of the body was not announced", http.StatusLengthRequired)
		return
	}
	for name, values := range v.header {
		w.Header()[name] = values
	}
	w.WriteHeader(v.status)
	for _, piece := range pieces {
		_, _ = io.WriteString(w, piece)
		w.(http.Flusher).Flush()
	}
}

// sent returns the body of the last request.
func (v *vendor) sent() []byte {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.body
}

// answer makes v send its answer in the given pieces.
func (v *vendor) answer(pieces ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pieces = pieces
}

// checkPieces holds that it does not matter in what pieces a stream comes, nor
// how its lines end.
func checkPieces(t *testing.T, v *vendor, model ikigai.Model, req ikigai.Request, want string) {
	check := func(how string, pieces ...string) {
		t.Helper()
		v.answer(pieces...)
		if diff := cmp.Diff(want, Collect(t, model, req).String()); diff != "" {
			t.Fatalf("%s (-whole +pieces):\n%s", how, diff)
		}
	}
	for _, end := range []string{"\r\n", "\r"} {
		check(fmt.Sprintf("lines that end with %q", end), strings.ReplaceAll(v.stream, "\n", end))
	}
	check("byte by byte", bytewise(v.stream)...)
	const most = 300 / race.Tenth
	random := rand.New(rand.NewPCG(1, 2))
	for i := range min(len(v.stream), most) {
		if len(v.stream) > most {
			i = random.IntN(len(v.stream))
		}
		check(fmt.Sprintf("split at %d", i), v.stream[:i], v.stream[i:])
	}
	v.answer(v.stream)
}

func bytewise(s string) []string {
	pieces := make([]string, len(s))
	for i := range pieces {
		pieces[i] = s[i : i+1]
	}
	return pieces
}

// checkMemo lets the conversation grow message by message. With a memo and
// without one the same bytes go out, and what is said of them is true. Another
// choice of tools loses nothing of the conversation.
func checkMemo(t *testing.T, v *vendor, model ikigai.Model, req ikigai.Request) {
	memo := new(ikigai.Memo)
	var before []byte // the conversation
	send := func(n int) (sent ikigai.Sent) {
		t.Helper()
		var plain ikigai.Sent
		req.Memo, req.Sending = memo, func(s ikigai.Sent) { sent = s }
		Collect(t, model, req)
		with := v.sent()
		req.Memo, req.Sending = nil, func(s ikigai.Sent) { plain = s }
		Collect(t, model, req)
		if diff := cmp.Diff(string(v.sent()), string(with)); diff != "" {
			t.Fatalf("%d messages (-without memo +with):\n%s", n, diff)
		}
		if err := errors.Join(CheckSent(plain, with, nil), CheckSent(sent, with, before)); err != nil {
			t.Fatalf("%d messages: %v", n, err)
		}
		before = bytes.Join(sent.Conversation, nil)
		return sent
	}
	all, choice := req.Messages, req.ToolChoice
	for n := 1; n <= len(all); n++ {
		req.Messages = all[:n]
		send(n)
		req.ToolChoice = ikigai.ToolChoice{Mode: ikigai.ToolChoiceNone}
		if sent := send(n); sent.Kept != int64(len(before)) {
			t.Fatalf("%d messages: %d of %d bytes kept when tools are switched off", n, sent.Kept, len(before))
		}
		req.ToolChoice = choice
	}
}

// CheckSent returns an error unless all that a vendor's package tells of a
// request is true: its body, and before, the conversation of the request before
// with the same memo, or nil.
func CheckSent(sent ikigai.Sent, body, before []byte) error {
	head, conversation := bytes.Join(sent.Head, nil), bytes.Join(sent.Conversation, nil)
	switch {
	case !bytes.Equal(append(head, conversation...), body):
		return fmt.Errorf("head %q and conversation %q are not the body %q", sent.Head, sent.Conversation, body)
	case sent.Size != int64(len(body)) || sent.SHA256 != sha256.Sum256(body):
		return fmt.Errorf("told of %d bytes with the hash %x, %d were sent", sent.Size, sent.SHA256, len(body))
	case sent.Closing < 0 || sent.Closing > len(conversation):
		return fmt.Errorf("%d of %d bytes close the body", sent.Closing, len(conversation))
	case sent.Kept < 0 || sent.Kept > int64(len(before)) || !bytes.HasPrefix(conversation, before[:sent.Kept]):
		return fmt.Errorf("%d bytes are said to be kept of %q in %q", sent.Kept, before, conversation)
	}
	return nil
}

// ParseConversation reads the conversation of a case.
func ParseConversation(text string) (ikigai.Request, error) {
	var req ikigai.Request
	for line := range strings.Lines(text) {
		var l struct {
			ikigai.Event
			Tools      []ikigai.ToolSpec `json:"tools"`
			ToolChoice string            `json:"tool_choice"`
			MaxOutput  int               `json:"max_output"`
			Feedback   string            `json:"feedback"`
			Media      [][]byte          `json:"bytes"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return req, fmt.Errorf("line %q: %w", line, err)
		}
		if l.Kind == "" {
			req.Tools = append(req.Tools, l.Tools...)
			req.MaxOutput = max(req.MaxOutput, l.MaxOutput)
			if l.ToolChoice != "" {
				req.ToolChoice = ikigai.ParseToolChoice(l.ToolChoice)
			}
			continue
		}
		m, err := l.Event.Message()
		if err != nil {
			return req, err
		}
		parts := m.Parts
		if m.Result != nil {
			m.Result.Feedback = l.Feedback
			parts = m.Result.Parts
		}
		for i := range parts {
			if parts[i].Type != ikigai.PartText && len(l.Media) > 0 {
				parts[i].Bytes, l.Media = l.Media[0], l.Media[1:]
			}
		}
		req.Messages = append(req.Messages, m)
	}
	return req, nil
}
