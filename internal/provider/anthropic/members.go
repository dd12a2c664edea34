package anthropic

import (
	"bytes"
	"encoding/json"

	"ikigai/internal/wirejson"
)

// member is a name of an object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of an object in their order, which a model
// follows when it writes one. What is no object has none.
func members(raw json.RawMessage) []member {
	var all []member
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil
		}
		m := member{name: name.(string)}
		if dec.Decode(&m.value) != nil {
			return nil
		}
		all = append(all, m)
	}
	return all
}

// unique returns JSON in which no object has two members of one name: the last
// of them counts.
func unique(raw json.RawMessage) json.RawMessage {
	switch raw[0] {
	case '{':
		all := members(raw)
		last := make(map[string]int, len(all))
		for i, m := range all {
			last[m.name] = i
		}
		var b []byte
		for i, m := range all {
			if last[m.name] == i {
				b = wirejson.AppendMember(b, m.name, unique(m.value))
			}
		}
		return object(b)
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // it is a list
		for i, item := range items {
			items[i] = unique(item)
		}
		return wirejson.Marshal(items)
	}
	return raw
}
