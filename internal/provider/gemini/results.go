package gemini

import (
	"encoding/json"
	"fmt"
	"slices"

	"ikigai"
	"ikigai/internal/wirejson"
)

// appendResults appends the results of one round, in one message: as many parts
// as there were calls, then what cannot stand inside of them, then the state of
// the statement and the notes about the runs.
func (w *wire) appendResults(b []byte, group []ikigai.Message) []byte {
	return appendContent(b, "user", func(b []byte) []byte {
		for _, m := range group {
			b = w.appendResult(b, m.Result)
		}
		for i, m := range group {
			b = w.appendBeside(b, i+1, m.Result)
		}
		for _, m := range group {
			b = appendText(b, m.Result.Feedback)
		}
		for _, m := range group {
			b = appendText(b, m.Result.Note)
		}
		return b
	})
}

func (w *wire) appendResult(b []byte, r *ikigai.ToolResult) []byte {
	b = append(b, `{"functionResponse":{`...)
	b = w.appendCallID(b, r.CallID)
	b = append(b, `"name":`...)
	b = wirejson.AppendString(b, r.Name)
	b = append(b, `,"response":`...)
	b = appendResponse(b, r)
	if slices.ContainsFunc(r.Parts, w.isInside) {
		b = append(b, `,"parts":[`...)
		for _, p := range r.Parts {
			if w.isInside(p) {
				b = w.appendPart(b, p)
			}
		}
		b = append(b[:len(b)-1], ']')
	}
	return append(b, "}},"...)
}

// appendBeside appends the images and files of the nth result that do not stand
// inside of it, under a line that says where they come from.
func (w *wire) appendBeside(b []byte, n int, r *ikigai.ToolResult) []byte {
	said := false
	for _, p := range r.Parts {
		if p.Type == ikigai.PartText || w.isInside(p) {
			continue
		}
		if !said {
			b = appendText(b, fmt.Sprintf("From result %d, of %s:", n, r.Name))
			said = true
		}
		b = w.appendPart(b, p)
	}
	return b
}

// isInside reports whether p stands inside of the result that it belongs to.
func (w *wire) isInside(p ikigai.Part) bool {
	return p.Type != ikigai.PartText && w.since3() && goesInside(mediaType(p)) && w.cfg.InPlaceOf(p, isTaken) == ""
}

// appendResponse appends what a tool has to say. It must be an object, and a
// failure is told by its member "error".
func appendResponse(b []byte, r *ikigai.ToolResult) []byte {
	text := joinText(r.Output, r.Parts)
	if r.Success {
		return appendObject(b, text, "output")
	}
	var told struct{ Error json.RawMessage }
	if json.Unmarshal([]byte(text), &told) == nil && told.Error != nil {
		return appendObject(b, text, "error")
	}
	b = append(b, `{"error":`...)
	b = wirejson.AppendString(b, text)
	return append(b, '}')
}
