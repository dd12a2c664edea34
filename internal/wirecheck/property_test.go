package wirecheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/provider/openai"
	"ikigai/internal/provider/responses"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
	"ikigai/internal/wirecheck"
)

var (
	logs  = flag.Int("logs", 2000/race.Tenth, "how many random logs to try")
	first = flag.Uint64("first", 0, "the number of the first of them")
)

// vendor is a model, and what its vendor demands.
type vendor struct {
	providertest.Model
	ask   ikigai.Model
	check func([]byte) error
}

// vendors returns the models in whose turn a log is sent, a model of another
// vendor after each.
func vendors() []vendor {
	var all []vendor
	for _, m := range providertest.Models() {
		all = append(all, newVendor(m))
	}
	for i, j := 0, len(all)/2; i < j; i += 2 {
		all[i+1], all[j+i] = all[j+i], all[i+1]
	}
	return all
}

func newVendor(m providertest.Model) vendor {
	_, name, _ := strings.Cut(m.Name, "/")
	cfg := provider.Config{Name: m.Name, Model: name, BaseURL: "http://vendor.test", MaxAttempts: 1,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no network in this test")
		}}
	switch m.Wire {
	case "messages":
		cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelLow: {Budget: 500}, ikigai.LevelHigh: {Budget: 20000}}
		if strings.HasSuffix(name, "b") {
			cfg.Quirks.CacheMarks = true
			cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelLow: {Effort: "low"}, ikigai.LevelHigh: {Effort: "high"}}
		}
		return vendor{m, anthropic.New(cfg), wirecheck.Messages}
	case "responses":
		cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelNone: {Off: true}, ikigai.LevelHigh: {Effort: "high"}}
		cfg.Quirks.Strict = strings.HasSuffix(name, "b")
		return vendor{m, responses.New(cfg), wirecheck.Responses}
	case "gemini":
		cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelLow: {Budget: 500}, ikigai.LevelHigh: {Effort: "high"}}
		check := wirecheck.GeminiSigned
		if strings.HasPrefix(name, "gemini-2") {
			check = wirecheck.Gemini
		}
		return vendor{m, gemini.New(cfg), check}
	}
	cfg.Levels = map[ikigai.Level]ikigai.Thinking{ikigai.LevelHigh: {Effort: "high"}}
	cfg.Quirks.Replay = []string{"reasoning_content"}
	return vendor{m, openai.New(cfg), wirecheck.Chat}
}

// body returns what is sent for req. Nothing leaves this machine.
func (v vendor) body(req ikigai.Request) (body []byte) {
	ctx, cancel := context.WithCancel(context.Background())
	req.Sending = func(s ikigai.Sent) {
		body = bytes.Join(append(s.Head[:len(s.Head):len(s.Head)], s.Conversation...), nil)
		cancel()
	}
	for range v.ask.Stream(ctx, req) {
		break
	}
	cancel()
	return body
}

// TestEveryRequestIsValid holds that whatever the log holds, each vendor is sent
// a request that it takes, in turn and with calls that are still open, and that
// a vendor's own state comes back to it and to nobody else.
//
// P1, P2, P4, P5, P6
func TestEveryRequestIsValid(t *testing.T) {
	all := vendors()
	var n tally
	failures := failures{}
	for i := range *logs {
		seed := *first + uint64(i)
		r := rand.New(rand.NewPCG(seed, 1))
		events := withHostile(r, providertest.RandomLog(r))
		if err := replay(r, events, all, &n); err != nil {
			failures.add(seed, events, err)
		}
	}
	failures.report(t)
	t.Logf("%d logs, %d requests, %d of them with the vendor's own state, %d with calls open", *logs, n.requests, n.own, n.open)
	if n.requests < *logs || n.own < n.requests/20 || n.open < n.requests/100 {
		t.Error("too few of them show anything")
	}
}

type tally struct{ requests, own, open int }

// failures is a log for each thing that went wrong, the shortest.
type failures map[string]failure

type failure struct {
	seed   uint64
	events []ikigai.Event
	err    error
	times  int
}

var digits = regexp.MustCompile(`[0-9]+`)

func (f failures) add(seed uint64, events []ikigai.Event, err error) {
	what, _, _ := strings.Cut(err.Error(), "\n{")
	what = digits.ReplaceAllString(what, "N")
	was, known := f[what]
	if !known || len(events) < len(was.events) {
		was.seed, was.events, was.err = seed, events, err
	}
	was.times++
	f[what] = was
}

func (f failures) report(t *testing.T) {
	t.Helper()
	for _, what := range slices.Sorted(maps.Keys(f)) {
		worst := f[what]
		t.Errorf("%d times, such as log %d (-first %d -logs 1): %v", worst.times, worst.seed, worst.seed, worst.err)
		for _, e := range worst.events {
			t.Logf("%d %s %q %s", e.Seq, e.Kind, e.Content, e.Data)
		}
	}
}

// replay folds a log event by event and asks at random places.
func replay(r *rand.Rand, events []ikigai.Event, all []vendor, n *tally) error {
	line := history.New(ikigai.Main)
	line.SetBlobs(func(hash string) ([]byte, error) { return nil, errors.New("lost") })
	at := r.IntN(len(all))
	for i, e := range events {
		line.Add(e)
		if r.IntN(4) > 0 && i < len(events)-1 {
			continue
		}
		req := line.Request()
		if len(req.Messages) == 0 {
			continue
		}
		last := req.Messages[len(req.Messages)-1].Kind
		if last != ikigai.KindUser && last != ikigai.KindToolResult {
			continue // nobody is asked here
		}
		if e.Kind == ikigai.KindToolCall {
			n.open++
		}
		withOptions(r, &req)
		for range 3 { // A, B, A
			n.requests++
			if err := ask(all[at], req, n); err != nil {
				return err
			}
			at = (at + 1) % len(all)
		}
	}
	return nil
}

func withOptions(r *rand.Rand, req *ikigai.Request) {
	req.Level = append(ikigai.Levels(), ikigai.LevelDefault)[r.IntN(6)]
	req.MaxOutput = []int{0, 0, 1, 100, 5000}[r.IntN(5)]
	req.CacheKey = []string{"", "session"}[r.IntN(2)]
	req.ToolChoice.Mode = []ikigai.ToolChoiceMode{ikigai.ToolChoiceAuto, ikigai.ToolChoiceAuto, ikigai.ToolChoiceNone, ikigai.ToolChoiceRequired}[r.IntN(4)]
	if r.IntN(8) == 0 {
		req.Format = &ikigai.Format{Name: "answer", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)}
	}
}

// ask sends a request to one vendor.
func ask(v vendor, req ikigai.Request, n *tally) error {
	body := v.body(req)
	fail := func(err error) error { return errors.Join(errors.New(v.Name), err, errors.New(string(body))) }
	if body == nil {
		return fail(errors.New("nothing was sent"))
	}
	if err := v.check(body); err != nil {
		return fail(err)
	}
	for _, other := range providertest.Models() {
		if other.Name != v.Name && bytes.Contains(body, []byte(providertest.Canary(other.Name))) {
			return fail(errors.New("it holds what belongs to " + other.Name))
		}
	}
	if bytes.Contains(body, []byte(providertest.Canary(v.Name))) {
		n.own++
	}
	for group := range ikigai.Groups(req.Messages) {
		if lost := v.lost(body, group); lost != "" {
			return fail(errors.New("it is not given back " + lost))
		}
	}
	return nil
}

// lost returns what the vendor has left with a reply and is not given back, byte
// for byte. A layout that fits the reply no more is left out as a whole, and so
// is thinking without an end.
func (v vendor) lost(body []byte, group []ikigai.Message) string {
	if v.Wire == "chat" {
		for _, m := range group {
			var state struct {
				Content string `json:"reasoning_content"`
			}
			if json.Unmarshal(m.Vendor[v.Name], &state) == nil && state.Content != "" {
				return missing(body, `"reasoning_content":"`+state.Content+`"`)
			}
		}
		return ""
	}
	layout := provider.LayoutOf(v.Name, group)
	for v.Wire == "messages" && len(layout) > 0 && layout[len(layout)-1].Text+layout[len(layout)-1].Call == 0 {
		layout = layout[:len(layout)-1]
	}
	for _, b := range layout {
		own := string(b.Own)
		if b.Text+b.Call > 0 {
			own = canary.FindString(own)
		}
		if b.Text > 0 && v.Wire == "messages" {
			continue // blank text is left out with what goes with it
		}
		if lost := missing(body, own); lost != "" {
			return lost
		}
	}
	return ""
}

var canary = regexp.MustCompile(`CANARY\w+`)

func missing(body []byte, s string) string {
	if bytes.Contains(body, []byte(s)) {
		return ""
	}
	return s
}
