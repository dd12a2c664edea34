package anthropic

import (
	"encoding/json"
	"slices"

	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// block is a block of a reply. What a block holds that is neither text, thinking
// nor a call is the vendor's own, and is only kept to be given back.
type block struct {
	kind    string
	members map[string]json.RawMessage // as it began

	text      int               // bytes of text so far
	said      bool              // the text is more than white space
	citations []json.RawMessage // of the text

	thinking, signature []byte

	call   int    // index of the call
	input  []byte // of the vendor's own tool
	pieces bool   // input has come in pieces
	ended  bool
}

// Kinds of blocks that the conversation has a place for.
const (
	kindText     = "text"
	kindThinking = "thinking"
	kindCall     = "tool_use"
)

// isOwn reports whether b means nothing but to the vendor.
func (b *block) isOwn() bool {
	return b.kind != kindText && b.kind != kindThinking && b.kind != kindCall
}

// membersOf returns the members of an object. What is no object has none.
func membersOf(raw json.RawMessage) map[string]json.RawMessage {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return map[string]json.RawMessage{}
	}
	return members
}

// join adds a piece to a block of the vendor's own: strings grow, and everything
// else is replaced.
func (b *block) join(raw json.RawMessage) {
	piece := membersOf(raw)
	delete(piece, "type")
	for name, value := range piece {
		if before := b.members[name]; wirejson.IsString(before) && wirejson.IsString(value) {
			value = wirejson.Concat(before, value)
		}
		b.members[name] = value
	}
}

// layout returns the blocks of a reply in their order. Thinking that was cut
// before its signature is of no use to anybody, and text without a letter is
// not sent.
func layout(blocks []*block) provider.Layout {
	var l provider.Layout
	said := slices.ContainsFunc(blocks, func(b *block) bool { return b.said })
	for _, b := range blocks {
		switch {
		case b.kind == "": // no block at all
		case b.kind == kindCall:
			l = append(l, provider.Block{Call: b.call + 1, Own: b.beside()})
		case b.isOwn():
			l = append(l, provider.Block{Own: b.own()})
		case b.kind == kindThinking:
			if len(b.signature) > 0 {
				l = append(l, provider.Block{Own: b.thought()})
			}
		case b.text == 0 || !said:
		case len(b.citations) > 0:
			own := object(wirejson.AppendMember(nil, "citations", wirejson.Marshal(b.citations)))
			l = append(l, provider.Block{Text: b.text, Own: own})
		default:
			l.AddText(b.text)
		}
	}
	return l
}

// beside returns what goes with a call, nil if that is nothing. That the model
// itself has called needs no saying.
func (b *block) beside() json.RawMessage {
	var caller struct{ Type string }
	_ = json.Unmarshal(b.members["caller"], &caller) // what is no object is kept
	rest := map[string]json.RawMessage{}
	for name, value := range b.members {
		switch {
		case name == "type", name == "id", name == "name", name == "input", name == "cache_control":
		case name == "caller" && caller.Type == "direct", string(value) == "null":
		default:
			rest[name] = value
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return wirejson.Marshal(rest)
}

// own returns a block of the vendor's own.
func (b *block) own() json.RawMessage {
	if len(b.input) > 0 && json.Valid(b.input) {
		b.members["input"] = b.input
	}
	return wirejson.Marshal(b.members)
}

func (b *block) thought() json.RawMessage {
	m := wirejson.AppendMember(nil, "type", json.RawMessage(`"thinking"`))
	m = wirejson.AppendMember(m, "thinking", wirejson.AppendString(nil, string(b.thinking)))
	m = wirejson.AppendMember(m, "signature", wirejson.AppendString(nil, string(b.signature)))
	return object(m)
}
