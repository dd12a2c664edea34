package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"ikigai/internal/catalog"
	"ikigai/internal/provider"
)

// check refuses what no setting shows alone: what does not go with the others,
// and what was most likely not meant.
func (s *Settings) check() error {
	for _, name := range s.VendorNames() {
		v := s.Vendors[name]
		if err := s.checkBody(name, v); err != nil {
			return err
		}
		if err := s.checkAddress(name, v.BaseURL, v.Quirks.Path); err != nil {
			return err
		}
		if _, known := s.Vendors[v.Catalog]; v.Catalog != "" && !known && !inCatalog(v.Catalog) {
			key := "vendors." + name + ".catalog"
			return usage(s.Origin(key)+": "+key+" is "+shown(v.Catalog, false)+", which names no vendor", suggest(v.Catalog, s.VendorNames()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.models)) {
		vendor, model, _ := strings.Cut(name, "/")
		if _, known := s.Vendors[vendor]; known || vendor == scriptVendor {
			continue
		}
		do := suggest(vendor, s.VendorNames())
		if near := Nearest(vendor, s.VendorNames()); len(near) == 1 {
			do = "Perhaps " + quoteKey(near[0]+"/"+model) + " is meant"
		}
		return usage(s.Origin("models."+name)+": "+quoteKey("models."+name)+" is of a vendor that there is not", do)
	}
	return s.checkFallback()
}

// scriptVendor is whose models scripts are, which can have a price, too.
const scriptVendor = "script"

// inCatalog reports whether the catalog has models of a vendor.
func inCatalog(vendor string) bool {
	return slices.ContainsFunc(catalog.All(), func(m catalog.Model) bool { return strings.HasPrefix(m.Name, vendor+"/") })
}

// checkBody refuses members of requests that would stand there twice. Where a
// preset brings one and the person has chosen another protocol, it is left out.
func (s *Settings) checkBody(vendor string, v Vendor) error {
	for _, name := range slices.Sorted(maps.Keys(v.Quirks.Body)) {
		key := "vendors." + vendor + ".body." + name
		switch {
		case !slices.Contains(written(v), name):
		case s.Origin(key) == "default":
			delete(v.Quirks.Body, name)
		default:
			return usage(s.Origin(key)+": "+key+" would stand in the request twice", "Take it out: what can be changed of it has a setting of its own")
		}
	}
	return nil
}

// written returns the members of a request to v that are written in any case, or
// when other settings ask for it. Not among them are those that take what the
// person adds: generationConfig of Gemini, most of Responses.
func written(v Vendor) []string {
	var names []string
	switch v.API {
	case APIGemini:
		return []string{"contents", "systemInstruction", "tools", "toolConfig"}
	case APIResponses:
		return []string{"input", "model", "stream", "tools", "tool_choice"}
	case APIAnthropic:
		names = []string{"messages", "stream", "tools", "tool_choice", "system", "max_tokens", "thinking", "output_config"}
		if !v.Quirks.CacheMarks {
			names = append(names, "cache_control")
		}
	default:
		names = []string{"messages", "stream", "tools", "tool_choice", "response_format", v.Quirks.MaxOutput}
		if !v.Quirks.NoCacheKey {
			names = append(names, "prompt_cache_key")
		}
		if !v.Quirks.NoUsageOption {
			names = append(names, "stream_options")
		}
		names = append(names, thinkingMembers(v.Quirks.Thinking)...)
	}
	if !v.Quirks.NoModel {
		names = append(names, "model")
	}
	return names
}

// thinkingMembers returns the members that tell a server how to think, in the
// form that it knows.
func thinkingMembers(form string) []string {
	switch form {
	case provider.ThinkingReasoning:
		return []string{"reasoning"}
	case provider.ThinkingType:
		return []string{"thinking", "reasoning_effort"}
	case provider.ThinkingEnable:
		return []string{"enable_thinking", "thinking_budget"}
	case provider.ThinkingTemplateKwargs:
		return []string{"chat_template_kwargs"}
	}
	return []string{"reasoning_effort"}
}

// checkAddress refuses an address that the person has set and that no request
// would reach.
func (s *Settings) checkAddress(vendor, address, path string) error {
	key := "vendors." + vendor + ".base_url"
	if s.Origin(key) == "default" {
		return nil
	}
	if strings.ContainsAny(address, "{}") && strings.ContainsAny(placeholder().ReplaceAllLiteralString(address, ""), "{}") {
		return usage(s.Origin(key)+": "+key+" has a brace that belongs to no variable", `Write variables in capitals, such as "https://{MY_HOST}/v1"`)
	}
	for _, end := range []string{"/chat/completions", "/responses", "/messages"} {
		if path == "" && strings.HasSuffix(strings.TrimRight(address, "/"), end) {
			return usage(s.Origin(key)+": "+key+" ends in "+end+", which is added to it", "Leave "+end+" out")
		}
	}
	return nil
}

// checkFallback refuses a list of models to go on with in which one cannot be
// what was meant: its vendor is not known, or no model is named. Whether there
// is a key is not looked at.
func (s *Settings) checkFallback() error {
	for _, model := range s.Fallback {
		if _, _, _, err := s.split(named{text: model, setting: "fallback"}); err != nil {
			return err
		}
	}
	return nil
}

// fallbackBehind returns the models to go on with behind the model called name:
// each once, and not that one.
func (s *Settings) fallbackBehind(name string) []string {
	seen := map[string]bool{name: true}
	var kept []string
	for _, text := range s.Fallback {
		vendor, model, _, err := s.split(named{text: text, setting: "fallback"})
		if full := vendor + "/" + model; err != nil || !seen[full] {
			seen[full] = true
			kept = append(kept, text)
		}
	}
	return kept
}

// checkLevel refuses a name that has a slip for a level behind the last colon:
// what stands before it is known, the whole is not, and what follows is like a
// level. Any other colon belongs to the name, as in openrouter/openai/gpt-oss-20b:free.
func (s *Settings) checkLevel(n named) error {
	i := strings.LastIndexByte(n.text, ':')
	if i <= 0 {
		return nil
	}
	name, meant := n.text[:i], meantLevels(n.text[i+1:])
	if meant == nil || !s.isModel(name) || s.isModel(n.text) {
		return nil
	}
	if !strings.Contains(name, "/") && s.CheckVendor(name) != nil {
		name = s.ownerOf(name)
	}
	for i, suffix := range meant {
		meant[i] = clip(name + suffix)
	}
	return usage(s.Origin(n.setting)+": "+strconv.Quote(clip(n.text[i:]))+" is no level of thinking",
		"Perhaps "+strings.Join(meant, " or ")+" is meant")
}

// isModel reports whether text names a vendor or a model that is known.
func (s *Settings) isModel(text string) bool {
	if !strings.Contains(text, "/") {
		return s.CheckVendor(text) == nil || s.ownerOf(text) != ""
	}
	_, known := s.Known(text)
	return known
}

// meantLevels returns what was most likely meant by a word behind a model's
// colon, with the colon; nil if it is like no level.
func meantLevels(word string) (all []string) {
	word = strings.ToLower(word)
	switch word {
	case "":
		return []string{""}
	case "off":
		word = "none"
	case "max":
		word = "high"
	}
	for _, level := range LevelNames() {
		if strings.HasPrefix(word, level) || strings.HasPrefix(level, word) {
			all = append(all, ":"+level)
		}
	}
	if all == nil {
		for _, level := range Nearest(word, LevelNames()) {
			all = append(all, ":"+level)
		}
	}
	return all
}
