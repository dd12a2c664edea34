package responses

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

const before, after = `{"stream":true,"model":"m","store":false`, `,"input":[{"role":"user","content":"hi"}]}`

// What a request says before its messages.
func TestOptions(t *testing.T) {
	levels := map[ikigai.Level]ikigai.Thinking{
		ikigai.LevelNone: {Off: true}, ikigai.LevelLow: {Budget: 1024}, ikigai.LevelHigh: {Effort: "xhigh"},
	}
	const include = `,"include":["reasoning.encrypted_content"]`
	tool := ikigai.ToolSpec{Name: "bash", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`)}
	joined := ikigai.ToolSpec{Name: "joined", Schema: json.RawMessage(`{"oneOf":[{"properties":{"a":{"type":"array"}},"required":["a"]}]}`)}
	open := ikigai.ToolSpec{Name: "open", Schema: json.RawMessage(`{"type":"object","additionalProperties":true}`)}
	body := func(name, value string) provider.Quirks {
		return provider.Quirks{Body: map[string]json.RawMessage{name: json.RawMessage(value)}}
	}
	for name, tt := range map[string]struct {
		cfg  provider.Config
		req  ikigai.Request
		want string
	}{
		"nothing":              {provider.Config{}, ikigai.Request{}, before + after},
		"a model that reasons": {provider.Config{Levels: levels}, ikigai.Request{}, before + include + after},
		"not at all":           {provider.Config{Levels: levels}, ikigai.Request{Level: ikigai.LevelNone}, before + include + `,"reasoning":{"effort":"none"}` + after},
		"a budget":             {provider.Config{Levels: levels}, ikigai.Request{Level: ikigai.LevelLow}, before + include + `,"reasoning":{"max_tokens":1024,"summary":"auto"}` + after},
		"an effort":            {provider.Config{Levels: levels}, ikigai.Request{Level: ikigai.LevelHigh}, before + include + `,"reasoning":{"effort":"xhigh","summary":"auto"}` + after},
		"no summary":           {provider.Config{Levels: levels, Quirks: provider.Quirks{NoSummary: true}}, ikigai.Request{Level: ikigai.LevelHigh}, before + include + `,"reasoning":{"effort":"xhigh"}` + after},
		"an unknown level":     {provider.Config{Levels: levels}, ikigai.Request{Level: ikigai.LevelMed}, before + include + after},
		"a cache key":          {provider.Config{}, ikigai.Request{CacheKey: "s"}, before + `,"prompt_cache_key":"s"` + after},
		"no cache key":         {provider.Config{Quirks: provider.Quirks{NoCacheKey: true}}, ikigai.Request{CacheKey: "s"}, before + after},
		"no model":             {provider.Config{Quirks: provider.Quirks{NoModel: true}}, ikigai.Request{}, `{"stream":true,"store":false` + after},
		"a limit":              {provider.Config{MaxOutput: 7}, ikigai.Request{MaxOutput: 99}, before + `,"max_output_tokens":99` + after},
		"no limit":             {provider.Config{MaxOutput: 7}, ikigai.Request{}, before + after},
		"a told limit":         {provider.Config{MaxOutput: 77, Quirks: provider.Quirks{TellMaxOutput: true}}, ikigai.Request{}, before + `,"max_output_tokens":77` + after},
		"the usual limit":      {provider.Config{Quirks: provider.Quirks{TellMaxOutput: true}}, ikigai.Request{}, before + `,"max_output_tokens":32000` + after},
		"a further member":     {provider.Config{Quirks: body("top_p", "0.5")}, ikigai.Request{}, before + `,"top_p":0.5` + after},
		"a replaced member":    {provider.Config{Levels: levels, Quirks: body("include", "[]")}, ikigai.Request{}, before + `,"include":[]` + after},
		"strict tools": {provider.Config{Quirks: provider.Quirks{Strict: true}}, ikigai.Request{Tools: []ikigai.ToolSpec{tool, open, joined, {Name: "none"}}}, before +
			`,"tools":[{"type":"function","name":"bash","description":"","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["integer","null"]}},"required":["a","b"],"additionalProperties":false},"strict":true},` +
			`{"type":"function","name":"open","description":"","parameters":{"type":"object","additionalProperties":true,"properties":{}},"strict":false},` +
			`{"type":"function","name":"joined","description":"","parameters":{"type":"object","description":"Must fit {\"oneOf\":[{\"properties\":{\"a\":{\"type\":\"array\",\"items\":{}}},\"required\":[\"a\"]}]}.",` +
			`"properties":{"a":{"type":"array","items":{}}},"required":["a"]},"strict":false},` +
			`{"type":"function","name":"none","description":"","parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false},"strict":true}]` + after},
		"an answer with optional members": {provider.Config{}, ikigai.Request{Format: &ikigai.Format{Name: "x", Schema: tool.Schema}}, before +
			`,"text":{"format":{"type":"json_schema","name":"x","schema":` + string(tool.Schema) + `,"strict":false}}` + after},
		"an answer": {provider.Config{}, ikigai.Request{Format: &ikigai.Format{Name: "x", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"]}`)}}, before +
			`,"text":{"format":{"type":"json_schema","name":"x","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},"strict":true}}` + after},
	} {
		t.Run(name, func(t *testing.T) {
			tt.cfg.Model = "m"
			tt.req.Messages = []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}
			if diff := cmp.Diff(tt.want, bodyOf(tt.cfg, tt.req)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func bodyOf(cfg provider.Config, req ikigai.Request) string {
	body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
	return string(bytes.Join(body, nil))
}

func TestPath(t *testing.T) {
	for path, want := range map[string]string{"": "responses", "openai/{model}/responses?api-version=1": "openai/m/responses?api-version=1"} {
		if got := (&wire{provider.Config{Model: "m", Quirks: provider.Quirks{Path: path}}}).Path(ikigai.Request{}); got != want {
			t.Errorf("%q: got %q", path, got)
		}
	}
}

// What a model does not take is left out in words.
func TestLeftOut(t *testing.T) {
	req := ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Parts: []ikigai.Part{
		{Type: ikigai.PartImage, Media: "image/png", Name: "a.png", Bytes: []byte("x")},
		{Type: ikigai.PartFile, Media: "application/pdf", Name: "a.pdf", Bytes: []byte("x")},
	}}}}
	got := bodyOf(provider.Config{Model: "m", NoImages: true, NoFiles: true}, req)
	for _, want := range []string{"(image a.png is left out: this model takes no images)", "(file a.pdf is left out: this model takes no files)"} {
		if !strings.Contains(got, `{"type":"input_text","text":"`+want+`"}`) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}

// S2.34, P27: a turn adds to the conversation; what was there stays where it
// is, whatever becomes of the head.
func TestPrefix(t *testing.T) {
	all := []ikigai.Message{{Kind: ikigai.KindSystem, Content: "s"}, {Kind: ikigai.KindUser, Content: "u"}}
	for range 20 {
		all = append(all, ikigai.Message{Kind: ikigai.KindAssistant, Content: "A"}, ikigai.Message{Kind: ikigai.KindUser, Content: "u"})
	}
	memo := new(ikigai.Memo)
	var last []byte
	for n := 2; n <= len(all); n += 2 {
		req := ikigai.Request{Messages: all[:n], Tools: []ikigai.ToolSpec{{Name: "bash"}}, Memo: memo}
		if n%4 == 0 {
			req.ToolChoice.Mode = ikigai.ToolChoiceNone
		}
		_, sent := encode(req)
		conversation := bytes.Join(sent.Conversation, nil)
		if len(sent.Head) != 2 || string(sent.Head[1]) != `{"role":"system","content":"s"},` {
			t.Fatalf("head %q", sent.Head)
		}
		if last = bytes.TrimSuffix(last, []byte(provider.Closing)); !bytes.HasPrefix(conversation, last) || sent.Kept < int64(len(last)) {
			t.Fatalf("%d messages: %s does not begin with %s", n, conversation, last)
		}
		last = conversation
	}
}

// P4: state that does not fit, or is damaged, changes nothing.
func TestDamagedState(t *testing.T) {
	group := []ikigai.Message{{Kind: ikigai.KindAssistant, Content: "AB"}}
	plain := bodyOf(config, ikigai.Request{Messages: group})
	for _, state := range []string{`7`, `[{"text":3}]`, `[{"text":2},{"call":1}]`, `[{"text":-1},{"text":3}]`} {
		group[0].Vendor = ikigai.VendorState{config.Name: json.RawMessage(state)}
		if got := bodyOf(config, ikigai.Request{Messages: group}); got != plain {
			t.Errorf("%s: %s", state, got)
		}
	}
	for _, state := range []string{`[{"text":1,"own":7},{"text":1,"own":{"more":true,"item":"x"}}]`, `[{"own":null},{"text":2,"own":{"item":{"":{}}}}]`} {
		group[0].Vendor = ikigai.VendorState{config.Name: json.RawMessage(state)}
		if got := bodyOf(config, ikigai.Request{Messages: group}); !json.Valid([]byte(got)) {
			t.Errorf("%s: %s", state, got)
		}
	}
}

// The consumer of a reply may stop at any delta, after which there is none.
func TestStop(t *testing.T) {
	stream := ""
	for _, e := range append(opening, fastEvents...) {
		stream += "data: " + e + "\n\n"
	}
	stream += `data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
	all := 0
	for most := 1; most == 1 || all == most-1; most++ {
		cfg := config
		all = 0
		d := &decoder{cfg: &cfg, yield: func(ikigai.Delta) bool { all++; return all < most }}
		if err := d.read(strings.NewReader(stream)); all < most != (err == nil) || err != nil && err != provider.ErrStopped {
			t.Fatalf("%d deltas of %d: %v", all, most, err)
		}
	}
}

// A vendor that names an item by its position names one of our messages.
func TestRefusedPosition(t *testing.T) {
	reply := providertest.Reply{Text: "A", Calls: []ikigai.ToolCall{{ID: "1", Name: "f"}, {ID: "2", Name: "f"}}}
	req := goesOn(reply)
	req.Messages = append([]ikigai.Message{{Kind: ikigai.KindSystem, Content: "s"}}, req.Messages...)
	for position, want := range []int{0, 2, 3, 4, 5, 6, 7, 8} {
		model := refusing(t, position)
		if got := providertest.Collect(t, model, req).Err.(*ikigai.Error).Message; position > 0 && got != want {
			t.Errorf("input[%d] is message %d, want %d", position, got, want)
		}
	}
}

// A vendor that leaves the connection open behind the last event is not waited
// for.
func TestEndIsNotWaitedFor(t *testing.T) {
	stream := "data: " + opening[0] + "\n\n" + `data: {"type":"response.completed","response":{"status":"completed"}}` + "\n\n"
	cfg := config
	d := &decoder{cfg: &cfg, yield: func(ikigai.Delta) bool { return true }}
	late := iotest.ErrReader(errors.New("read on"))
	if err := d.read(io.MultiReader(iotest.OneByteReader(strings.NewReader(stream)), late)); err != nil {
		t.Error(err)
	}
}
