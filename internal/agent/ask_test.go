package agent

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"ikigai"
)

func fails(kind ikigai.ErrorKind, message int) []any {
	return []any{&ikigai.Error{Kind: kind, What: "It says no", Do: "Wait", Status: 400, Message: message}}
}

func says400(what string) []any {
	return []any{&ikigai.Error{Kind: ikigai.ErrorBadRequest, What: what}}
}

// What a vendor refuses by its position is left out, and the request goes out
// once more; the statement has a bound of that. P3
func TestQuarantine(t *testing.T) {
	tests := []struct {
		name    string
		replies [][]any
		kinds   string
		failed  ikigai.ErrorKind
	}{
		{"once", [][]any{fails(ikigai.ErrorBadRequest, 1), says("done")}, "user quarantine assistant usage", ""},
		{"too large", [][]any{fails(ikigai.ErrorTooLarge, 1), says("done")}, "user quarantine assistant usage", ""},
		{"for its content", [][]any{fails(ikigai.ErrorContentFilter, 1), says("done")}, "user quarantine assistant usage", ""},
		{"after it has thought", [][]any{append([]any{ikigai.Delta{Thinking: "Hm"}}, fails(ikigai.ErrorContentFilter, 1)...), says("done")},
			"user interrupted quarantine assistant usage", ""},
		{"after it has answered", [][]any{append([]any{ikigai.Delta{Text: "Well"}}, fails(ikigai.ErrorContentFilter, 1)...)},
			"user interrupted error", ikigai.ErrorContentFilter},
		{"no message is named", [][]any{fails(ikigai.ErrorBadRequest, 0)}, "user error", ikigai.ErrorBadRequest},
		{"a document is spoken of", [][]any{says400("m refuses the request: The document has no pages"), says("done")}, "user quarantine assistant usage", ""},
		{"images are spoken of", [][]any{says400("Too many IMAGES"), says("done")}, "user quarantine assistant usage", ""},
		{"a tool that is called like a file", [][]any{says400("Invalid schema for function 'file_read'")}, "user error", ikigai.ErrorBadRequest},
		{"a tool that is called like a page", [][]any{{&ikigai.Error{Kind: ikigai.ErrorBadRequest, What: "tools.1: invalid (the tool get-page)", Tool: "get-page"}}}, "user error", ikigai.ErrorBadRequest},
		{"a document of a request that is too large", [][]any{{&ikigai.Error{Kind: ikigai.ErrorTooLarge, What: "The file"}}}, "user error", ikigai.ErrorTooLarge},
		{"state that is stale", [][]any{{&ikigai.Error{Kind: ikigai.ErrorBadRequest, What: "It says no", StaleState: true}}, says("done")},
			"user quarantine assistant usage", ""},
		{"the statement, for its content", [][]any{fails(ikigai.ErrorContentFilter, 0)}, "user quarantine error", ikigai.ErrorContentFilter},
		{"the statement, after it has thought", [][]any{append([]any{ikigai.Delta{Thinking: "Hm"}}, fails(ikigai.ErrorContentFilter, 0)...)},
			"user interrupted error", ikigai.ErrorContentFilter},
		{"results, for their content", [][]any{calls("1 echo {}"), fails(ikigai.ErrorContentFilter, 0), says("done")},
			"user tool_call usage tool_result quarantine assistant usage", ""},
		{"nothing can be left out", [][]any{fails(ikigai.ErrorBadRequest, 9)}, "user error", ikigai.ErrorBadRequest},
		{"another error", [][]any{fails(ikigai.ErrorContext, 1)}, "user error", ikigai.ErrorContext},
		{"again and again", [][]any{fails(ikigai.ErrorBadRequest, 1), fails(ikigai.ErrorBadRequest, 1), fails(ikigai.ErrorBadRequest, 1),
			fails(ikigai.ErrorBadRequest, 1), fails(ikigai.ErrorBadRequest, 1)},
			"user quarantine quarantine quarantine quarantine error", ikigai.ErrorBadRequest},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, l, m := newAgent(t, test.replies, tool("echo", false, echo))
			_, err := run(t, a)
			if l.kinds() != test.kinds || len(m.requests) != len(test.replies) {
				t.Errorf("events %q after %d requests, want %q", l.kinds(), len(m.requests), test.kinds)
			}
			if err == nil && test.failed != "" || err != nil && ikigai.KindOf(err) != test.failed {
				t.Errorf("error %v, want %s", err, test.failed)
			}
		})
	}
}

// While the store does not give back what a request needs, none is made: another
// would be sent in its place. The next statement asks it again.
func TestUnreadContents(t *testing.T) {
	a, l, m := newAgent(t, [][]any{says("done")})
	l.unread = &ikigai.Error{Kind: ikigai.ErrorStore, What: "It hangs"}
	if _, err := run(t, a); ikigai.KindOf(err) != ikigai.ErrorStore || l.kinds() != "user error" || len(m.requests) > 0 {
		t.Errorf("%v, events %q after %d requests", err, l.kinds(), len(m.requests))
	}
	l.unread = nil
	if _, err := run(t, a); err != nil {
		t.Error(err)
	}
}

// A model that cannot be had is replaced for the rest of the statement, and the
// next statement begins with it again.
func TestFallbacks(t *testing.T) {
	a, l, first := newAgent(t, [][]any{fails(ikigai.ErrorOverloaded, 0), says("I am back")}, tool("echo", false, echo))
	second := &model{t: t, replies: [][]any{append([]any{ikigai.Delta{Thinking: "Hm"}}, fails(ikigai.ErrorQuota, 0)...)}}
	third := &model{t: t, replies: [][]any{calls("1 echo {}"), says("done")}}
	a.Level, a.CacheKey, a.MaxOutput, a.Format = ikigai.LevelLow, "s1", 99, nil
	a.Model = telling{first}
	a.Fallbacks = []Candidate{
		{Name: "test/second", Model: telling{second}, Level: ikigai.LevelHigh},
		{Name: "test/third", Model: telling{third}},
	}
	var priced []string
	a.Price = func(model string, _ ikigai.Usage) *int64 { priced = append(priced, model); return nil }
	out, err := run(t, a)
	if err != nil || out.Answer != "done" {
		t.Fatalf("%+v, %v", out, err)
	}
	want := "user request fallback request interrupted fallback request tool_call usage tool_result request assistant usage"
	if got := l.kinds(); got != want {
		t.Errorf("events %q, want %q", got, want)
	}
	if out, err = run(t, a); err != nil || out.Answer != "I am back" {
		t.Fatalf("the next statement: %+v, %v", out, err)
	}
	var asked, used, told []string
	for _, e := range l.events {
		switch e.Kind {
		case ikigai.KindRequest:
			var d ikigai.RequestData
			_ = e.DecodeData(&d)
			asked = append(asked, d.Model)
		case ikigai.KindUsage:
			var d ikigai.UsageData
			_ = e.DecodeData(&d)
			used = append(used, d.Model)
		case ikigai.KindFallback:
			told = append(told, e.Content+" "+string(e.Data))
		}
	}
	if got := strings.Join(asked, " "); got != "test/model test/second test/third test/third test/model" {
		t.Errorf("asked %s", got)
	}
	if got := strings.Join(used, " "); got != "test/third test/third test/model" {
		t.Errorf("used %s", got)
	}
	if want := `It says no. test/second is asked instead for the rest of this statement. {"from":"test/model","to":"test/second","kind":"overloaded","status":400}`; told[0] != want {
		t.Errorf("told %s", told[0])
	}
	for _, r := range first.requests {
		if r.Level != ikigai.LevelLow || r.CacheKey != "s1" || r.MaxOutput != 99 {
			t.Errorf("request %+v", r)
		}
	}
	if r := second.requests[0]; r.Level != ikigai.LevelHigh || r.CacheKey != "s1" {
		t.Errorf("request %+v", r)
	}
}

// Who is asked around with, and with what.
func TestNoFallback(t *testing.T) {
	for kind, want := range map[ikigai.ErrorKind]bool{
		ikigai.ErrorRateLimit: true, ikigai.ErrorQuota: true, ikigai.ErrorOverloaded: true, ikigai.ErrorServer: true,
		ikigai.ErrorTimeout: true, ikigai.ErrorNetwork: true, ikigai.ErrorModel: true, ikigai.ErrorAuth: true, ikigai.ErrorPermission: true,
		ikigai.ErrorContext: false, ikigai.ErrorTooLarge: false, ikigai.ErrorContentFilter: false, ikigai.ErrorBadRequest: false,
		ikigai.ErrorIncomplete: true, ikigai.ErrorUsage: false, ikigai.ErrorInternal: false,
	} {
		a, _, _ := newAgent(t, [][]any{fails(kind, 0)})
		second := &model{t: t, replies: [][]any{says("done")}}
		a.Fallbacks = []Candidate{{Name: "test/second", Model: second}}
		if _, err := run(t, a); (err == nil) != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
	// P28: a reply of which a part was shown is not begun anew.
	a, l, _ := newAgent(t, [][]any{append([]any{ikigai.Delta{Text: "Half"}}, fails(ikigai.ErrorServer, 0)...)})
	a.Fallbacks = []Candidate{{Name: "test/second", Model: &model{t: t}}}
	if _, err := run(t, a); err == nil || l.kinds() != "user interrupted error" {
		t.Errorf("%v, %s", err, l.kinds())
	}
	// Nor is anybody asked once the person has stopped it.
	ctx, cancel := context.WithCancel(t.Context())
	a, l, _ = newAgent(t, [][]any{append([]any{func() { cancel() }}, fails(ikigai.ErrorNetwork, 0)...)})
	a.Fallbacks = []Candidate{{Name: "test/second", Model: &model{t: t}}}
	if _, err := a.Run(ctx, ikigai.NewEvent(ikigai.KindUser, "do it", nil)); ikigai.KindOf(err) != ikigai.ErrorCancelled || l.kinds() != "user error" {
		t.Errorf("%v, %s", err, l.kinds())
	}
}

// Images of a result are recorded with it, fit to be sent; words stand for
// those that are not. P3
func TestImagesOfResults(t *testing.T) {
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, 3000, 2))); err != nil {
		t.Fatal(err)
	}
	shoot := tool("shoot", true, func(context.Context, ikigai.Call) ikigai.Result {
		return ikigai.Result{Output: append(ikigai.JSONOutput(map[string]int{"count": 2}),
			ikigai.Part{Type: ikigai.PartImage, Name: "a.png", Bytes: wide.Bytes()},
			ikigai.Part{Type: ikigai.PartImage, Name: "b.png", Bytes: wide.Bytes()[:60]})}
	})
	a, l, _ := newAgent(t, [][]any{calls("1 shoot {}"), says("done")}, shoot)
	if _, err := run(t, a); err != nil {
		t.Fatal(err)
	}
	r, blobs := l.results()[0], l.events[3].Blobs
	if r.Output != `{"count":2}` || len(r.Parts) != 2 || len(blobs) != 2 || blobs[0].Hash != r.Parts[0].Blob || blobs[1].Hash != r.Parts[0].Fit {
		t.Fatalf("%+v with %d blobs", r, len(blobs))
	}
	if p := r.Parts[0]; p.Name != "a.png" || p.Media != "image/png" || p.Size != int64(len(blobs[1].Bytes)) {
		t.Errorf("%+v", p)
	}
	if p := r.Parts[1]; p.Type != ikigai.PartText || !strings.HasPrefix(p.Text, "(The image b.png is damaged: ") {
		t.Errorf("%+v", p)
	}
}

// What a vendor wants back with a text goes with no other. P4
func TestVendorStateOfUncleanText(t *testing.T) {
	for text, kept := range map[string]bool{"fine": true, "a\xff\xfe\xfd": false} {
		a, l, _ := newAgent(t, [][]any{{ikigai.Delta{Text: text}, ikigai.Delta{Vendor: ikigai.VendorState{"test/model": []byte(`1`)}, Stop: ikigai.StopEnd}}})
		if _, err := run(t, a); err != nil {
			t.Fatal(err)
		}
		m, err := l.events[1].Message()
		if err != nil || (m.Vendor != nil) != kept {
			t.Errorf("%q: %s, %v", text, m.Vendor, err)
		}
	}
}
