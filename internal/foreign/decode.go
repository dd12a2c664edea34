package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"ikigai"
)

// decoder is what the formats share: it collects the entries of a file and
// what is to be said about it.
type decoder struct {
	format   Format
	fallback ikigai.Micros

	source  string // the session's ID in the file
	dir     string
	model   string // vendor/model, as the session began
	version string // of the program that wrote the file
	system  []string

	entries  []*entry
	tools    map[string]string // names of tools by the ID of the call
	warnings []Warning
	now      ikigai.Micros // of the entry before
}

// entry is what a line of a file says, or, of a tree, a node.
type entry struct {
	line   int
	id     string // "" if the file gives it none
	parent string // the ID of the entry it follows; "" for the one before
	root   bool   // it follows none

	beside    bool   // it belongs to no place in the tree
	statement bool   // the person says something
	reply     string // what one reply's entries have in common; "" if it is of none

	time   ikigai.Micros // 0 if it has none
	events []ikigai.Event
}

func newDecoder(f Format, fallback ikigai.Micros) *decoder {
	return &decoder{format: f, fallback: fallback, tools: map[string]string{}}
}

// warn counts something that is not in the events.
func (d *decoder) warn(line int, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	i := slices.IndexFunc(d.warnings, func(w Warning) bool { return w.What == what })
	if i < 0 {
		i = len(d.warnings)
		d.warnings = append(d.warnings, Warning{Line: line, What: what})
	}
	d.warnings[i].Count++
}

// leftOut counts a line that has no counterpart.
func (d *decoder) leftOut(line int, kind string) {
	d.warn(line, "A line of type %s has no counterpart and was left out", show(kind))
}

// show returns a name of the file as it can be shown: it may be anything.
func show(name string) string {
	if len(name) > 60 {
		name = name[:60]
	}
	return fmt.Sprintf("%q", name)
}

// add appends an event to e.
func (d *decoder) add(e *entry, interaction string, kind ikigai.Kind, content string, data any, blobs ...ikigai.Blob) {
	event := ikigai.NewEvent(kind, ikigai.CleanText(content), data)
	event.Interaction, event.Blobs = interaction, blobs
	clean := ikigai.CleanJSON(string(event.Data))
	if event.Content != content || clean != string(event.Data) {
		d.warn(e.line, "A text has characters that no store can keep; they were replaced")
	}
	if event.Data != nil {
		event.Data = json.RawMessage(clean)
	}
	e.events = append(e.events, event)
}

// call adds a tool call.
func (d *decoder) call(e *entry, interaction, id, name, arguments string) {
	d.tools[id] = name
	d.add(e, interaction, ikigai.KindToolCall, describeCall(name, arguments), ikigai.ToolCallData{
		ID: id, Type: "function", Function: ikigai.ToolCallFunction{Name: name, Arguments: arguments},
	})
}

// result adds the result of a tool call.
func (d *decoder) result(e *entry, interaction, id, name string, c content, success bool) {
	if name == "" {
		name = d.tools[id]
	}
	d.add(e, interaction, ikigai.KindToolResult, describeResult(c.text), ikigai.ToolResultData{
		ToolCallID: id, Name: name, Output: c.text, Success: success, Parts: c.parts,
	}, c.blobs...)
}

// message adds a system, user or assistant event.
func (d *decoder) message(e *entry, interaction string, kind ikigai.Kind, c content) {
	var data any
	if len(c.parts) > 0 {
		data = ikigai.MessageData{Parts: c.parts}
	}
	d.add(e, interaction, kind, c.text, data, c.blobs...)
}

// thinkingData is what a source says of the model's reasoning beside its text:
// what its vendor wants back with it.
type thinkingData struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"`
	Encrypted string `json:"encrypted,omitempty"`
}

func (d *decoder) thinking(e *entry, interaction, text string, data thinkingData) {
	if data == (thinkingData{}) {
		if strings.TrimSpace(text) != "" {
			d.add(e, interaction, ikigai.KindThinking, text, nil)
		}
		return
	}
	d.add(e, interaction, ikigai.KindThinking, text, data)
}

// content is the text of a message or result with what goes with it.
type content struct {
	texts []string
	text  string // texts, joined
	parts []ikigai.Part
	blobs []ikigai.Blob
}

func (c *content) say(text string) {
	c.texts = append(c.texts, text)
	c.text = strings.Join(c.texts, "\n")
}

// attach adds an image or a file, whose bytes are in base64.
func (d *decoder) attach(e *entry, c *content, media, name, encoded string) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) == 0 {
		d.warn(e.line, "The bytes of an image or a file are not in the session file")
		c.say("[" + media + ", which is not in the session file]")
		return
	}
	sum := sha256.Sum256(raw)
	blob := ikigai.Blob{Hash: hex.EncodeToString(sum[:]), Bytes: raw}
	part := ikigai.Part{Type: ikigai.PartFile, Media: media, Name: name, Blob: blob.Hash, Size: int64(len(raw))}
	if strings.HasPrefix(media, "image/") {
		part.Type = ikigai.PartImage
	}
	c.parts = append(c.parts, part)
	c.blobs = append(c.blobs, blob)
}

// attachURL adds what a URL names, whose bytes may be in it.
func (d *decoder) attachURL(e *entry, c *content, url string) {
	media, encoded, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if ok && strings.HasPrefix(url, "data:") {
		d.attach(e, c, media, "", encoded)
		return
	}
	c.say("[" + url + "]")
}

// usage adds what a reply used, unless it says nothing.
func (d *decoder) usage(e *entry, interaction, model string, u ikigai.Usage, cost *int64, stop ikigai.StopReason) {
	if u == (ikigai.Usage{}) && cost == nil {
		return
	}
	d.add(e, interaction, ikigai.KindUsage, "", ikigai.UsageData{Model: model, Usage: u, Cost: cost, Stop: stop})
}

// tokens is a number of tokens, which may be written in any way.
type tokens int64

func (t *tokens) UnmarshalJSON(b []byte) error {
	var f float64
	if json.Unmarshal(b, &f) == nil && f >= 0 && f < 1<<53 {
		*t = tokens(f)
	}
	return nil
}

// micros returns dollars in millionths, nil if they cannot be that.
func micros(dollars *float64) *int64 {
	if dollars == nil || *dollars < 0 || *dollars > 1e9 {
		return nil
	}
	n := int64(*dollars*1e6 + 0.5)
	return &n
}

// when returns the time that a file gives, as text or in milliseconds, and 0
// if it gives none.
func when(v any) ikigai.Micros {
	switch v := v.(type) {
	case string:
		if t, err := time.Parse(time.RFC3339Nano, v); err == nil && t.Year() >= 1970 {
			return ikigai.MicrosOf(t)
		}
	case float64:
		if v > 0 && v < 1e15 {
			return ikigai.Micros(v * 1000)
		}
	}
	return 0
}

// vendorModel joins the names of a vendor and a model.
func vendorModel(vendor, model string) string {
	if vendor == "" || model == "" {
		return model
	}
	return vendor + "/" + model
}

// unmarshal decodes as much of text as has the expected types and reports
// whether that is all.
func unmarshal(text []byte, v any) bool { return json.Unmarshal(text, v) == nil }

// isText returns the text of a JSON string.
func isText(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// isNull reports whether a member is missing or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }
