package faultserver_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/faultserver"
	"ikigai/internal/providertest"
)

type (
	api    = faultserver.API
	answer = faultserver.Answer
)

// fault is something that goes wrong, and what is to become of it.
type fault struct {
	name    string
	answers func(api, reply) []answer // in the place of the reply; the reply itself follows where it is asked for again
	retries int
	kind    ikigai.ErrorKind // of the error; "" if it is answered in the end
}

// one is a fault that happens once.
func one(make func(api, reply) answer) func(api, reply) []answer {
	return func(a api, r reply) []answer { return []answer{make(a, r)} }
}

// always is the same answer, whichever the interface.
func always(a answer) func(api, reply) []answer {
	return func(api, reply) []answer { return []answer{a} }
}

// refusal is a vendor's own error with a status, once or more times.
func refusal(status, times int) func(api, reply) []answer {
	return func(a api, _ reply) []answer {
		all := make([]answer, times)
		for i := range all {
			all[i] = faultserver.Refusal(a, status)
		}
		return all
	}
}

// sent is the reply, sent in another way.
func sent(change func(answer, reply) answer) func(api, reply) []answer {
	return one(func(_ api, r reply) answer { return change(faultserver.Stream(r.String()), r) })
}

// limited is a rate limit with a hint.
func limited(header, value string) func(api, reply) []answer {
	return one(func(a api, _ reply) answer {
		refused := faultserver.Refusal(a, 429)
		refused.Header.Set(header, value)
		return refused
	})
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

func encoded(name, body string) answer {
	return answer{Header: http.Header{"Content-Encoding": {name}}, Body: body}
}

var faults = []fault{
	{"none", sent(func(a answer, _ reply) answer { return a }), 0, ""},
	{"one byte at a time", sent(func(a answer, _ reply) answer { return a.Drip(1) }), 0, ""},
	{"slow, a byte in 10 s", sent(func(a answer, _ reply) answer { return a.Slow(1, 10*time.Second) }), 0, ""},
	{"late by 4 min", sent(func(a answer, _ reply) answer { return a.After(4 * time.Minute) }), 0, ""},
	{"lines end with CRLF", sent(func(a answer, _ reply) answer { a.Body = strings.ReplaceAll(a.Body, "\n", "\r\n"); return a }), 0, ""},
	{"compressed, unasked", one(func(_ api, r reply) answer { return encoded("gzip", zipped(r.String())) }), 0, ""},

	{"400 bad request", refusal(400, 1), 0, ikigai.ErrorBadRequest},
	{"400 context full", one(func(a api, _ reply) answer { return faultserver.ContextFull(a) }), 0, ikigai.ErrorContext},
	{"401 wrong key", refusal(401, 1), 0, ikigai.ErrorAuth},
	{"402 no credit", refusal(402, 1), 0, ikigai.ErrorQuota},
	{"403 not allowed", refusal(403, 1), 0, ikigai.ErrorPermission},
	{"404 no such model", refusal(404, 1), 0, ikigai.ErrorModel},
	{"404 web page", always(faultserver.Page(404)), 0, ikigai.ErrorBadRequest},
	{"408 time-out", refusal(408, 1), 1, ""},
	{"413 too large", refusal(413, 1), 0, ikigai.ErrorTooLarge},
	{"429 rate limit", refusal(429, 1), 1, ""},
	{"429 twice", refusal(429, 2), 2, ""},
	{"429 for ever", refusal(429, 9), 3, ikigai.ErrorRateLimit},
	{"429, wait 20 s", limited("Retry-After", "20"), 1, ""},
	{"429, wait an hour", limited("Retry-After", "3600"), 0, ikigai.ErrorRateLimit},
	{"429 request too large", one(func(a api, _ reply) answer { return faultserver.TooMuchAtOnce(a) }), 0, ikigai.ErrorTooLarge},
	{"429 nothing left to spend", one(func(a api, _ reply) answer { return faultserver.NoQuota(a) }), 0, ikigai.ErrorQuota},
	{"500 server error", refusal(500, 1), 1, ""},
	{"500 for ever", refusal(500, 9), 3, ikigai.ErrorServer},
	{"502 web page", always(faultserver.Page(502)), 1, ""},
	{"503 overloaded", refusal(503, 1), 1, ""},
	{"504 gateway time-out", refusal(504, 1), 1, ""},
	{"529 overloaded", refusal(529, 1), 1, ""},
	{"error cut off", one(func(a api, _ reply) answer { return faultserver.Refusal(a, 503).Lose(20) }), 1, ""},
	{"redirect", always(faultserver.Redirect("http://elsewhere.test/v1/x")), 0, ikigai.ErrorBadRequest},

	{"200 web page", always(faultserver.Page(200)), 0, ikigai.ErrorBadRequest},
	{"200 words", always(answer{Header: http.Header{"Content-Type": {"text/plain"}}, Body: "upstream connect error"}), 1, ""},
	{"200 empty", always(answer{}), 1, ""},
	{"200 in an unknown encoding", always(encoded("br", "\x8b\x02\x80")), 0, ikigai.ErrorBadRequest},
	{"closed before the header", always(faultserver.HangUp()), 1, ""},
	{"closed after the header", always(faultserver.Stream("").Lose(0)), 1, ""},
	{"closed short of its length", always(answer{Body: "data", Length: 900, End: faultserver.Lost}), 1, ""},
	{"no HTTP", always(faultserver.Garbage()), 0, ikigai.ErrorNetwork},
	{"no answer", sent(func(a answer, _ reply) answer { return a.After(time.Hour) }), 1, ""},
	{"silence after the header", sent(func(a answer, _ reply) answer { return a.Stall(0) }), 1, ""},

	{"error before any text", one(func(a api, r reply) answer {
		return faultserver.Stream(r.String()).Cut(r.nothing()).Then(faultserver.ErrorInReply(a, 529))
	}), 1, ""},
	{"lost before any text", sent(func(a answer, r reply) answer { return a.Lose(r.nothing()) }), 1, ""},
	{"ended before any text", sent(func(a answer, r reply) answer { return a.Cut(r.nothing()) }), 1, ""},
	{"silence before any text", sent(func(a answer, r reply) answer { return a.Stall(r.nothing()) }), 1, ""},
	{"silence before any text, for ever", func(_ api, r reply) []answer {
		silent := faultserver.Stream(r.String()).Stall(r.nothing())
		return []answer{silent, silent, silent, silent}
	}, 1, ikigai.ErrorTimeout},
	{"comments for ever, before any text", sent(func(a answer, r reply) answer { return a.Cut(r.nothing()).Keep(": keep-alive\n\n", 15*time.Second) }), 1, ""},
	{"comments for ever, after some text", sent(func(a answer, r reply) answer { return a.Cut(r.begun()).Keep(": keep-alive\n\n", 15*time.Second) }), 0, ikigai.ErrorTimeout},
	{"pings for ever", one(func(a api, r reply) answer {
		return faultserver.Stream(r.String()).Cut(r.begun()).Keep(faultserver.Ping(a), 15*time.Second)
	}), 0, ikigai.ErrorTimeout},
	{"20 min of pings", one(func(a api, r reply) answer {
		return faultserver.Stream(r.String()[:r.nothing()]+strings.Repeat(faultserver.Ping(a), 80)+r.String()[r.nothing():]).
			Slow(len(faultserver.Ping(a)), 15*time.Second)
	}), 0, ""},
	{"error after some text", one(func(a api, r reply) answer {
		return faultserver.Stream(r.String()).Cut(r.begun()).Then(faultserver.ErrorInReply(a, 529))
	}), 0, ikigai.ErrorOverloaded},
	{"lost after some text", sent(func(a answer, r reply) answer { return a.Lose(r.begun()) }), 0, ikigai.ErrorIncomplete},
	{"ended after some text", sent(func(a answer, r reply) answer { return a.Cut(r.begun()) }), 0, ikigai.ErrorIncomplete},
	{"silence after some text", sent(func(a answer, r reply) answer { return a.Stall(r.begun()) }), 0, ikigai.ErrorTimeout},
	{"lost within an event", sent(func(a answer, r reply) answer { return a.Lose(r.middle()) }), 0, ikigai.ErrorIncomplete},
	{"ended within an event", sent(func(a answer, r reply) answer { return a.Cut(r.middle()) }), 0, ikigai.ErrorIncomplete},
	{"lost before the end", sent(func(a answer, r reply) answer { return a.Lose(r.ending()) }), 0, ikigai.ErrorIncomplete},
	{"ended before the end", sent(func(a answer, r reply) answer { return a.Cut(r.ending()) }), 0, ikigai.ErrorIncomplete},
	{"bytes repeated", sent(func(a answer, r reply) answer {
		from := r.begun() + strings.Index(a.Body[r.begun():], "data: ")
		return a.Repeat(from, from+12)
	}), 0, ikigai.ErrorServer},
	{"bytes damaged", sent(func(a answer, r reply) answer {
		return a.Corrupt(r.begun()+strings.Index(a.Body[r.begun():], "{"), "\x00\xff")
	}), 0, ikigai.ErrorServer},
	{"silence after the end", sent(func(a answer, _ reply) answer { return a.Stall(len(a.Body)) }), 0, ""},
	{"lost after the end", sent(func(a answer, _ reply) answer { return a.Lose(len(a.Body)) }), 0, ""},
}

// What becomes of every fault with every vendor: an answer or a clear error,
// nothing that hangs, no text twice, no tool run twice, and a session that goes
// on. The faults come in the place of the first reply, which calls a tool, and
// in the place of the one after its result. P28, P30, P31, S1.23
func TestFaults(t *testing.T) {
	var table strings.Builder
	table.WriteString("| fault |")
	for _, api := range faultserver.APIs() {
		fmt.Fprintf(&table, " %s |", api)
	}
	table.WriteString("\n|" + strings.Repeat("---|", 1+len(faultserver.APIs())) + "\n")
	for _, f := range faults {
		fmt.Fprintf(&table, "| %s |", f.name)
		for _, api := range faultserver.APIs() {
			before := f.try(t, api, false)
			if after := f.try(t, api, true); after != before {
				before += "; after a tool: " + after
			}
			fmt.Fprintf(&table, " %s |", before)
		}
		table.WriteString("\n")
	}
	t.Logf("\n%s", table.String())
}

// try lets f happen, before the tool runs or after it, and returns what became
// of it.
func (f fault) try(t *testing.T, api api, afterTool bool) (outcome string) {
	t.Run(fmt.Sprintf("%s/%s/%v", f.name, api, afterTool), func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { outcome = f.happen(t, api, afterTool) })
	})
	return outcome
}

// script returns the answers of the server, up to the end of the statement.
func (f fault) script(api api, afterTool bool) []answer {
	call, done := calling(api), answering(api)
	hit := call
	if afterTool {
		hit = done
	}
	script := f.answers(api, hit)
	if f.kind == "" && f.retries > 0 {
		script = append(script, faultserver.Stream(hit.String()))
	}
	if afterTool {
		return append([]answer{faultserver.Stream(call.String())}, script...)
	}
	return append(script, faultserver.Stream(done.String()))
}

func (f fault) happen(t *testing.T, api api, afterTool bool) string {
	s := faultserver.InMemory(f.script(api, afterTool)...)
	defer s.Close()
	ran := 0
	agent, log := newAgent(t, api, s, &ran)
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	defer cancel()

	out, err := agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil))
	const whole = "I look. It is done."
	shown, retries := log.shown.String(), log.retries
	switch {
	case ctx.Err() != nil:
		t.Errorf("it hangs: %v", err)
	case len(retries) != f.retries:
		t.Errorf("%d retries, %d are told of: %v", f.retries, len(retries), err)
	case f.kind == "" && (err != nil || out.Answer != "It is done." || shown != whole):
		t.Errorf("answer %q, shown %q, error %v", out.Answer, shown, err)
	case f.kind != "" && (ikigai.KindOf(err) != f.kind || !strings.HasPrefix(whole, shown)):
		t.Errorf("shown %q, error %s: %v", shown, ikigai.KindOf(err), err)
	case (ran == 1) != (f.kind == "" || afterTool):
		t.Errorf("the tool ran %d times", ran)
	}
	f.checkError(t, err)
	if ran == 0 {
		s.Play(faultserver.Stream(calling(api).String()), faultserver.Stream(answering(api).String()))
	} else {
		s.Play(faultserver.Stream(answering(api).String()))
	}
	goOn(t, s, agent)
	if ran != 1 {
		t.Errorf("the tool ran %d times in all", ran)
	}
	return outcome(retries, err)
}

// The person who stops waiting for another attempt is heard at once, and the
// session goes on. S1.24
func TestStopBetweenAttempts(t *testing.T) {
	for _, api := range faultserver.APIs() {
		synctest.Test(t, func(t *testing.T) {
			refused := faultserver.Refusal(api, 503)
			refused.Header.Set("Retry-After", "60")
			s := faultserver.InMemory(refused)
			defer s.Close()
			ran := 0
			agent, log := newAgent(t, api, s, &ran)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(3*time.Second, cancel)
			start := time.Now()
			_, err := agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil))
			if ikigai.KindOf(err) != ikigai.ErrorCancelled || time.Since(start) != 3*time.Second || len(s.Requests()) != 1 {
				t.Errorf("%s: after %v and %d requests: %v", api, time.Since(start), len(s.Requests()), err)
			}
			if r := log.retries; len(r) != 1 || r[0].After < time.Minute || r[0].Attempt != 1 || r[0].Of != 4 || ikigai.KindOf(r[0].Err) != ikigai.ErrorOverloaded {
				t.Errorf("%s: told of %+v", api, r)
			}
			s.Play(faultserver.Stream(answering(api).String()))
			goOn(t, s, agent)
		})
	}
}

// A message that a vendor refuses by its position in the request is found, left
// out, and the rest is sent once more: here the result of the tool. S1.23
func TestRefusedMessage(t *testing.T) {
	for api, body := range map[api]string{
		faultserver.OpenAIChat:      `{"error":{"message":"Invalid 'messages[3].content'.","type":"invalid_request_error","param":"messages[3].content"}}`,
		faultserver.OpenAIResponses: `{"error":{"message":"Invalid value.","type":"invalid_request_error","param":"input[4].output"}}`,
		faultserver.Anthropic:       `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.0.tool_result: no"}}`,
		faultserver.Gemini:          `{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"field":"contents[2].parts[0]"}]}]}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := faultserver.InMemory(faultserver.Stream(calling(api).String()), answer{Status: 400, Body: body}, faultserver.Stream(answering(api).String()))
			defer s.Close()
			ran := 0
			agent, log := newAgent(t, api, s, &ran)
			out, err := agent.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, "do it", nil))
			if err != nil || out.Answer != "It is done." || ran != 1 || log.shown.String() != "I look. It is done." {
				t.Errorf("%s: answer %q, the tool ran %d times, error %v", api, out.Answer, ran, err)
			}
			goOn(t, s, agent)
			requests := s.Requests()
			if len(requests) != 4 {
				t.Fatalf("%s: %d requests", api, len(requests))
			}
			for i, r := range requests {
				if holds := bytes.Contains(r.Body, []byte(`ran_times`)); holds != (i == 1) {
					t.Errorf("%s: request %d holds the result: %v\n%s", api, i+1, holds, r.Body)
				}
				if err := checkRequest(r.Body, "do it"); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Replies and refusals are read to their end, so that one connection serves a
// whole session.
func TestConnectionIsKept(t *testing.T) {
	for _, api := range faultserver.APIs() {
		synctest.Test(t, func(t *testing.T) {
			call, done := faultserver.Stream(calling(api).String()), faultserver.Stream(answering(api).String())
			s := faultserver.InMemory(call, faultserver.Refusal(api, 503), faultserver.Page(502), faultserver.Refusal(api, 429), done)
			defer s.Close()
			ran := 0
			agent, _ := newAgent(t, api, s, &ran)
			if _, err := agent.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, "do it", nil)); err != nil {
				t.Error(err)
			}
			goOn(t, s, agent)
			if n, of := s.Connections(), len(s.Requests()); n != 1 || of != 6 {
				t.Errorf("%s: %d connections for %d requests", api, n, of)
			}
		})
	}
}

// A real network breaks in the same way as one in memory.
func TestLoopback(t *testing.T) {
	for _, api := range faultserver.APIs() {
		r := answering(api)
		whole := faultserver.Stream(r.String())
		for _, tt := range []struct {
			answer answer
			kind   ikigai.ErrorKind
		}{
			{whole, ""},
			{whole.Drip(1), ""},
			{whole.Lose(r.begun()), ikigai.ErrorIncomplete},
			{whole.Lose(0), ikigai.ErrorIncomplete},
			{faultserver.HangUp(), ikigai.ErrorNetwork},
			{faultserver.Garbage(), ikigai.ErrorNetwork},
			{faultserver.Refusal(api, 529), ikigai.ErrorOverloaded},
		} {
			s := faultserver.New(tt.answer)
			reply := providertest.Collect(t, model(api, s, 1), ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
			if (reply.Err == nil) != (tt.kind == "") || reply.Err != nil && ikigai.KindOf(reply.Err) != tt.kind {
				t.Errorf("%s %+v: %v", api, tt.answer, reply.Err)
			}
			s.Close()
		}
	}
}

// checkError holds that an error has two sentences and no secret.
func (f fault) checkError(t *testing.T, err error) {
	e, ok := err.(*ikigai.Error)
	switch {
	case err == nil:
	case !ok || e.What == "" || e.Do == "" || strings.Contains(e.Error(), "secret"):
		t.Errorf("%#v", err)
	case f.name == "429, wait an hour" && (e.Do != "Try again in 60 min" || e.RetryAfter != time.Hour):
		t.Errorf("%v", e)
	}
}

// goOn states something more, which is answered, whatever came before.
func goOn(t *testing.T, s *faultserver.Server, a *agent.Agent) {
	asked := len(s.Requests())
	out, err := a.Run(t.Context(), ikigai.NewEvent(ikigai.KindUser, "go on", nil))
	if err != nil || out.Answer != "It is done." {
		t.Errorf("the session does not go on: %q, %v", out.Answer, err)
	}
	for _, r := range s.Requests()[asked:] {
		if err := checkRequest(r.Body, "go on"); err != nil {
			t.Error(err)
		}
	}
}

// outcome is what stands in the table.
func outcome(retries []ikigai.Retry, err error) string {
	how := "answered"
	if err != nil {
		how = "error: " + string(ikigai.KindOf(err))
	}
	switch n := len(retries); n {
	case 0:
		return how
	case 1:
		return how + ", 1 retry"
	default:
		return fmt.Sprintf("%s, %d retries", how, n)
	}
}
