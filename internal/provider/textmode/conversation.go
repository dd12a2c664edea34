package textmode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/wirejson"
)

// present returns req as a model without tool calling gets it, and for each of
// its messages the number, from 1, of the last message of req that is in it, 0
// if there is none.
func present(req ikigai.Request, o Options) (inner ikigai.Request, sources []int) {
	c := new(conversation)
	if req.Memo != nil {
		if kept, ok := req.Memo.Encoded.(*conversation); ok {
			c = kept
		}
		req.Memo.Encoded = c
	}
	c.extend(req, o)
	if words := choiceWords(req); words != "" {
		c.addAtEnd(words)
	}
	inner = req
	inner.Messages, inner.Tools, inner.ToolChoice = c.messages, nil, ikigai.ToolChoice{}
	if len(req.Tools) > 0 && req.ToolChoice.Mode != ikigai.ToolChoiceNone {
		inner.Format = nil // a vendor that holds the model to it lets it call nothing
	}
	if req.Memo != nil {
		inner.Memo = &c.memo
	}
	return inner, c.sources
}

// conversation is what was presented of a conversation. It costs what is new:
// only what the last messages became is made once more.
type conversation struct {
	memo     ikigai.Memo // of the inner model
	messages []ikigai.Message
	sources  []int // of each message, the number of its last one
	closed   int   // messages that do not change any more
	done     int   // messages of the request that are in them
	options  Options
	format   string
}

// extend presents req on top of what c holds.
func (c *conversation) extend(req ikigai.Request, o Options) {
	all := req.Messages
	format := ""
	if req.Format != nil {
		format = string(req.Format.Schema)
	}
	if c.done == 0 || c.done >= len(all) || joins(all, c.done) || c.format != format || c.options != o {
		*c = conversation{options: o, format: format}
	}
	c.messages, c.sources = c.messages[:c.closed], c.sources[:c.closed]
	tools := ""
	if c.closed == 0 {
		tools = describe(req, o)
	}
	if tools != "" && (len(all) == 0 || all[0].Kind != ikigai.KindSystem) {
		c.add(ikigai.Message{Kind: ikigai.KindSystem, Content: tools}, 0)
		tools = ""
	}
	for from := c.done; from < len(all); {
		end := from + 1
		for end < len(all) && joins(all, end) {
			end++
		}
		m := presentGroup(all[from:end])
		if tools != "" {
			m.Content, tools = strings.TrimLeft(m.Content+"\n\n"+tools, "\n"), ""
		}
		if end == len(all) {
			c.closed, c.done = len(c.messages), from
		}
		c.add(m, end)
		from = end
	}
}

func (c *conversation) add(m ikigai.Message, source int) {
	c.messages, c.sources = append(c.messages, m), append(c.sources, source)
}

// addAtEnd says something that holds for this request alone: in the last
// message, which alone may be another one in the next request.
func (c *conversation) addAtEnd(words string) {
	if n := len(c.messages); n > 0 {
		said{&c.messages[n-1]}.add(words)
	}
}

func choiceWords(req ikigai.Request) string {
	if len(req.Tools) == 0 {
		return ""
	}
	switch req.ToolChoice.Mode {
	case ikigai.ToolChoiceNone:
		return "Do not call a tool now. Answer in plain text."
	case ikigai.ToolChoiceRequired:
		return "Call a tool now."
	case ikigai.ToolChoiceNamed:
		return "Call the tool " + req.ToolChoice.Name + " now."
	}
	return ""
}

// joins reports whether message i is presented in one message with the one
// before it. Besides a reply with its calls, and the results of a round, that is
// all that comes from the user's side: there are models that want the roles to
// take turns.
func joins(messages []ikigai.Message, i int) bool {
	if messages[i].Kind != ikigai.KindUser {
		return ikigai.Joins(messages, i)
	}
	before := messages[i-1].Kind
	return before == ikigai.KindUser || before == ikigai.KindToolResult
}

// presentGroup returns the message that messages which join become.
func presentGroup(group []ikigai.Message) ikigai.Message {
	switch group[0].Kind {
	case ikigai.KindAssistant, ikigai.KindToolCall:
		return presentReply(group)
	case ikigai.KindSystem:
		return group[0]
	}
	m := ikigai.Message{Kind: ikigai.KindUser}
	n := slices.IndexFunc(group, func(m ikigai.Message) bool { return m.Kind == ikigai.KindUser })
	if n < 0 {
		n = len(group)
	}
	said{&m}.results(group[:n])
	for _, u := range group[n:] {
		said{&m}.add(u.Content)
		m.Parts = append(m.Parts, u.Parts...)
	}
	return m
}

// presentReply returns a reply with its calls as JSON.
func presentReply(group []ikigai.Message) ikigai.Message {
	reply := ikigai.Message{Kind: ikigai.KindAssistant}
	var calls []*ikigai.ToolCall
	for _, m := range group {
		if m.Call != nil {
			calls = append(calls, m.Call)
		} else {
			reply.Content += m.Content
		}
		if reply.Vendor == nil {
			reply.Vendor = m.Vendor
		}
	}
	if len(calls) > 0 {
		reply.Content = string(appendCalling(nil, reply.Content, calls))
	}
	return reply
}

// said is a message of the user in the making.
type said struct{ *ikigai.Message }

// add adds a paragraph. Behind images and files it is a part itself.
func (s said) add(text string) {
	switch {
	case text == "":
	case len(s.Parts) > 0:
		s.Parts = append(slices.Clip(s.Parts), ikigai.Part{Type: ikigai.PartText, Text: text})
	case s.Content == "":
		s.Content = text
	default:
		s.Content += "\n\n" + text
	}
}

// results adds the results of a round, a line each, then what else there is to
// tell of it: further text, feedback, notes, images.
func (s said) results(round []ikigai.Message) {
	var lines []byte
	var further, feedback, notes []string
	for i, m := range round {
		if i > 0 {
			lines = append(lines, '\n')
		}
		lines = appendResult(lines, m.Result)
		further = append(further, texts(m.Result.Parts)...)
		feedback = append(feedback, m.Result.Feedback)
		notes = append(notes, m.Result.Note)
	}
	for _, text := range slices.Concat([]string{string(lines)}, further, feedback, notes) {
		s.add(text)
	}
	for _, m := range round {
		if media := mediaOf(m.Result.Parts); len(media) > 0 {
			label := ikigai.Part{Type: ikigai.PartText, Text: fmt.Sprintf("From the result of %s:", m.Result.Name)}
			s.Parts = append(append(s.Parts, label), media...)
		}
	}
}

func appendResult(b []byte, r *ikigai.ToolResult) []byte {
	b = append(b, `{"tool":`...)
	b = wirejson.AppendString(b, r.Name)
	b = append(b, `,"result":`...)
	if json.Valid([]byte(r.Output)) {
		b = wirejson.AppendJSON(b, json.RawMessage(r.Output))
	} else {
		b = wirejson.AppendString(b, r.Output)
	}
	return append(b, '}')
}

func texts(parts []ikigai.Part) (all []string) {
	for _, p := range parts {
		if p.Type == ikigai.PartText {
			all = append(all, p.Text)
		}
	}
	return all
}

func mediaOf(parts []ikigai.Part) (all []ikigai.Part) {
	for _, p := range parts {
		if p.Type != ikigai.PartText {
			all = append(all, p)
		}
	}
	return all
}
