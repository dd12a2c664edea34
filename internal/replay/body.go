package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bodyDifferences returns where two bodies of requests differ: the first place
// in each of their members.
func bodyDifferences(was, is []byte) (all []Difference) {
	then, okThen := members(was)
	now, okNow := members(is)
	if !okThen || !okNow {
		return []Difference{textDifference("", string(was), string(is))}
	}
	for _, m := range then {
		if d, ok := firstDifference(m.name, m.value, valueOf(now, m.name)); ok {
			all = append(all, d)
		}
	}
	for _, m := range now {
		if valueOf(then, m.name) == nil {
			all = append(all, textDifference(m.name, "", string(m.value)))
		}
	}
	if len(all) == 0 { // the same JSON in other words
		all = append(all, textDifference("", string(was), string(is)))
	}
	return all
}

// member is a member of a JSON object, in its place.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in order, and false if raw is
// none.
func members(raw []byte) (all []member, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		m := member{}
		m.name, _ = name.(string)
		if dec.Decode(&m.value) != nil {
			return nil, false
		}
		all = append(all, m)
	}
	return all, true
}

func valueOf(all []member, name string) json.RawMessage {
	for _, m := range all {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// firstDifference returns the innermost place, first in order, in which two JSON
// values differ.
func firstDifference(path string, was, is json.RawMessage) (Difference, bool) {
	if bytes.Equal(was, is) {
		return Difference{}, false
	}
	var listThen, listNow []json.RawMessage
	if json.Unmarshal(was, &listThen) == nil && json.Unmarshal(is, &listNow) == nil && listThen != nil && listNow != nil {
		for i := range min(len(listThen), len(listNow)) {
			if d, ok := firstDifference(fmt.Sprintf("%s[%d]", path, i), listThen[i], listNow[i]); ok {
				return d, true
			}
		}
		if n := min(len(listThen), len(listNow)); n < max(len(listThen), len(listNow)) {
			return textDifference(fmt.Sprintf("%s[%d]", path, n), string(at(listThen, n)), string(at(listNow, n))), true
		}
	}
	then, okThen := members(was)
	now, okNow := members(is)
	if okThen && okNow {
		for _, m := range then {
			if d, ok := firstDifference(path+"."+m.name, m.value, valueOf(now, m.name)); ok {
				return named(d, path, then), true
			}
		}
		for _, m := range now {
			if valueOf(then, m.name) == nil {
				return textDifference(path+"."+m.name, "", string(m.value)), true
			}
		}
	}
	var textThen, textNow string
	if json.Unmarshal(was, &textThen) == nil && json.Unmarshal(is, &textNow) == nil {
		return textDifference(path, textThen, textNow), true
	}
	return textDifference(path, string(was), string(is)), true
}

// named puts the name of the object at path, such as that of a tool, into the
// place of a difference.
func named(d Difference, path string, object []member) Difference {
	var name string
	if json.Unmarshal(valueOf(object, "name"), &name) != nil || name == "" || strings.HasPrefix(d.Place, path+".name") {
		return d
	}
	d.Place = path + " (" + name + ")" + strings.TrimPrefix(d.Place, path)
	return d
}

func at(list []json.RawMessage, i int) json.RawMessage {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func textDifference(place, was, is string) Difference {
	was, is = apart(was, is)
	return Difference{Place: place, Was: was, Is: is}
}

// Bytes that are shown of a text before the first difference, and in all.
const (
	shownBefore = 40
	shownMost   = 200
)

// apart returns what two texts are around the first place in which they differ.
func apart(was, is string) (string, string) {
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	from := max(same-shownBefore, 0)
	for from > 0 && !utf8.RuneStart(was[from]) {
		from--
	}
	return excerpt(was, from), excerpt(is, from)
}

func excerpt(text string, from int) string {
	shown := clip(text[from:])
	switch {
	case text == "":
		return "nothing"
	case from > 0:
		return "…" + shown
	}
	return shown
}

// clip returns the beginning of a text.
func clip(text string) string {
	if len(text) <= shownMost {
		return text
	}
	end := shownMost
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
