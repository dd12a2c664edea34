package openai

import (
	"encoding/json"
	"slices"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/wirejson"
)

// replay gathers what a vendor may want back with the message that it sends.
type replay struct {
	content, reasoning []byte
	details            reasoningDetails
}

func (r *replay) add(p *delta) {
	r.content = append(r.content, p.ReasoningContent...)
	r.reasoning = append(r.reasoning, p.Reasoning...)
	r.details = r.details.append(p.ReasoningDetails)
}

// state returns the members that the quirks of cfg name, nil if there are none.
func (r *replay) state(cfg *provider.Config) ikigai.VendorState {
	members := map[string]json.RawMessage{}
	add := func(name string, value json.RawMessage) {
		if slices.Contains(cfg.Quirks.Replay, name) {
			members[name] = value
		}
	}
	if len(r.content) > 0 {
		add("reasoning_content", wirejson.AppendString(nil, string(r.content)))
	}
	if len(r.reasoning) > 0 {
		add("reasoning", wirejson.AppendString(nil, string(r.reasoning)))
	}
	if len(r.details) > 0 {
		add("reasoning_details", wirejson.Marshal(r.details))
	}
	if len(members) == 0 {
		return nil
	}
	return ikigai.VendorState{cfg.Name: wirejson.Marshal(members)}
}
