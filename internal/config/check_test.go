package config

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// What goes with no other setting is refused where it stands.
func TestCheck(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{`{"vendors": {"v": {"base_url": "https://x", "catalog": "opnai"}}}`, path + `:1: vendors.v.catalog is "opnai", which names no vendor. Perhaps openai is meant.`},
		{`{"models": {"opnai/gpt-5": {"context": 1}}}`, path + `:1: "models.opnai/gpt-5" is of a vendor that there is not. Perhaps "openai/gpt-5" is meant.`},
		{`{"vendors": {"v": {"base_url": "https://x/{region}/v1"}}}`, path + `:1: vendors.v.base_url has a brace that belongs to no variable. Write variables in capitals, such as "https://{MY_HOST}/v1".`},
		{`{"vendors": {"v": {"base_url": "https://{A}.x/{B/v1"}}}`, path + `:1: vendors.v.base_url has a brace that belongs to no variable. Write variables in capitals, such as "https://{MY_HOST}/v1".`},
		{`{"vendors": {"v": {"base_url": "https://x/v1/chat/completions/"}}}`, path + `:1: vendors.v.base_url ends in /chat/completions, which is added to it. Leave /chat/completions out.`},
		{`{"vendors": {"v": {"base_url": "https://x/v1/responses"}}}`, path + `:1: vendors.v.base_url ends in /responses, which is added to it. Leave /responses out.`},
		{`{"vendors": {"v": {"base_url": "https://x/v1/messages"}}}`, path + `:1: vendors.v.base_url ends in /messages, which is added to it. Leave /messages out.`},
		{`{"fallback": ["opnai/gpt-5"]}`, path + `:1: no vendor is called "opnai". Perhaps openai is meant; others are added under vendors in ` + path + "."},
		{`{"fallback": ["openai", "ollama"]}`, `No model of the vendor ollama is named. Set fallback to "ollama/NAME", with the name of a model that it serves, or set vendors.ollama.model.`},
		{`{"fallback": ["openai/gpt-5:hgh"]}`, path + `:1: ":hgh" is no level of thinking. Perhaps openai/gpt-5:high is meant.`},
	} {
		_, err := parseText(test.file)
		wantUsage(t, err, test.want)
	}
	for _, file := range []string{
		`{"vendors": {"v": {"base_url": "https://{A|B}.x/v1", "catalog": "w"}, "w": {"base_url": "{C}"}}, "models": {"v/m": {"context": 1}, "script/x": {"context": 1}}, "fallback": ["v/m", "groq"]}`,
		`{"vendors": {"v": {"base_url": "https://x/chat/completions", "path": "y"}}}`,
	} {
		mustParse(t, file)
	}
}

// A member of a request that is written anyway cannot be added to it.
func TestCheckBody(t *testing.T) {
	for _, test := range []struct {
		vendor         string
		refused, taken []string
	}{
		{`"api": "chat"`, []string{"messages", "model", "stream", "stream_options", "tools", "tool_choice", "response_format", "max_tokens", "reasoning_effort"},
			[]string{"temperature", "input", "prompt_cache_key", "max_completion_tokens", "reasoning"}},
		{`"api": "chat", "no_model": true, "no_usage_option": true, "thinking_form": "reasoning"`, []string{"messages", "reasoning"}, []string{"model", "stream_options", "reasoning_effort"}},
		{`"api": "chat", "no_cache_key": false`, []string{"prompt_cache_key"}, nil},
		{`"api": "chat", "thinking_form": "thinking"`, []string{"thinking", "reasoning_effort"}, []string{"enable_thinking"}},
		{`"api": "chat", "thinking_form": "enable_thinking"`, []string{"enable_thinking", "thinking_budget"}, []string{"thinking"}},
		{`"api": "chat", "thinking_form": "chat_template_kwargs"`, []string{"chat_template_kwargs"}, []string{"thinking"}},
		{`"api": "responses"`, []string{"input", "model", "stream", "tools", "tool_choice"}, []string{"include", "store", "reasoning", "text", "max_output_tokens", "prompt_cache_key", "messages"}},
		{`"api": "anthropic"`, []string{"messages", "model", "stream", "tools", "tool_choice", "system", "max_tokens", "thinking", "output_config", "cache_control"}, []string{"temperature", "anthropic_version"}},
		{`"api": "anthropic", "cache_marks": true`, []string{"system"}, []string{"cache_control"}},
		{`"api": "gemini"`, []string{"contents", "systemInstruction", "tools", "toolConfig"}, []string{"generationConfig", "safetySettings"}},
	} {
		for _, name := range append(slices.Clone(test.refused), test.taken...) {
			_, err := parseText(`{"vendors": {"v": {"base_url": "https://x", "body": {"` + name + `": 1}, ` + test.vendor + `}}}`)
			if slices.Contains(test.taken, name) {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			wantUsage(t, err, path+`:1: vendors.v.body.`+name+` would stand in the request twice. Take it out: what can be changed of it has a setting of its own.`)
		}
	}
	// What a preset brings gives way.
	s := mustParse(t, `{"vendors": {"openrouter": {"api": "anthropic"}}}`)
	if body := s.Vendors["openrouter"].Quirks.Body; len(body) > 0 {
		t.Errorf("the preset's body is %v", body)
	}
}

// A slip for a level behind a known model's name is told of; any other colon
// belongs to the name.
func TestMistypedLevels(t *testing.T) {
	const own = `, "models": {"ollama/m": {"context": 1}, "ollama/m:lo": {"context": 1}}}`
	for model, want := range map[string]string{
		"openai/gpt-5:hgh": "openai/gpt-5:high", "openai/gpt-5:medium": "openai/gpt-5:med", "openai/gpt-5:HIGH": "openai/gpt-5:high",
		"openai/gpt-5:": "openai/gpt-5", "gpt-5:": "openai/gpt-5", "gpt-5:minimal": "openai/gpt-5:min", "openai:hgh": "openai:high",
		"openai/gpt-5:off": "openai/gpt-5:none", "openai/gpt-5:m": "openai/gpt-5:min or openai/gpt-5:med", "ollama/m:hi": "ollama/m:high", "openai/gpt-5:xhigh": "openai/gpt-5:high",
		"openrouter/openai/gpt-oss-20b:free": "", "ollama/m:lo": "", "ollama/x:hgh": "", "ollama/m:8b": "", "openai/gpt-5:high": "",
	} {
		s := mustParse(t, `{"model": "`+model+`"`+own, "OPENAI_API_KEY=k", "OPENROUTER_API_KEY=k")
		_, err := s.Resolve(t.Context(), Keys{})
		if want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		suffix := model[strings.LastIndexByte(model, ':'):]
		wantUsage(t, err, path+`:1: "`+suffix+`" is no level of thinking. Perhaps `+want+" is meant.")
	}
}

// The list of models to go on with is without the model in force, and has each
// model once.
func TestFallbackList(t *testing.T) {
	for model, want := range map[string]string{
		`"openai/gpt-5:high"`: "groq/x groq", `"groq"`: "openai groq/x", `""`: "groq/x groq",
	} {
		s := mustParse(t, `{"model": `+model+`, "fallback": ["openai", "groq/x", "openai/gpt-5:low", "groq", "groq/x"]}`, "OPENAI_API_KEY=k", "GROQ_API_KEY=k")
		for range 2 {
			if _, err := s.Resolve(t.Context(), Keys{}); err != nil || strings.Join(s.Fallback, " ") != want {
				t.Errorf("%s: %q, %v", model, s.Fallback, err)
			}
		}
	}
}

// A vendor on this machine may have a key: that none can be seen is told.
func TestStoredKeyUnreadHere(t *testing.T) {
	stored := func(context.Context, string) (string, string, error) {
		return "", "", errors.New("keys.json is broken.")
	}
	s := mustParse(t, `{"model": "v/m", "vendors": {"v": {"base_url": "http://localhost:1", "key_env": "K"}, "c": {"base_url": "http://localhost:1", "key_cmd": "c"}}}`)
	_, err := s.Resolve(t.Context(), Keys{Stored: stored})
	wantUsage(t, err, "Whether there is a key for v cannot be seen: keys.json is broken. Correct that, or take key_env out of vendors.v in "+path+" if no key is needed.")
	for vendor, want := range map[string]string{"v": "none", "c": "none", "ollama": "none needed", "groq": "none", "bedrock": "none: credentials of AWS"} {
		if got := s.WithoutKey(vendor); got != want {
			t.Errorf("%s: %s", vendor, got)
		}
	}
	s = mustParse(t, `{"model": "bedrock"}`, "AWS_REGION=r")
	if _, err := s.Resolve(t.Context(), Keys{Stored: stored}); err != nil {
		t.Errorf("other credentials: %v", err)
	}
}

// Each source of a key has its own advice.
func TestCheckKey(t *testing.T) {
	wantUsage(t, CheckKey("", "The input"), "The input gave nothing. Give the key, alone on a line.")
}

// Vendors and models have names of their own and so no flags.
func TestFlagsOfVendors(t *testing.T) {
	for _, name := range []string{"vendors.h.api", "models.a/b.context"} {
		tr := newTree(t)
		tr.Flags, tr.FlagNames = map[string]string{name: "x"}, map[string]string{name: "--set " + name}
		_, _, err := Load(tr.Input)
		group, _, _ := strings.Cut(name, ".")
		wantUsage(t, err, "--set "+name+": no setting is called "+quoteKey(name)+". Set "+group+" in a file: "+tr.userPath()+".")
	}
}

// A slip in a list of models is one of the flag that has it.
func TestFallbackFlag(t *testing.T) {
	tr := newTree(t)
	tr.Flags = map[string]string{"fallback": "opnai/gpt-5"}
	_, _, err := Load(tr.Input)
	wantUsage(t, err, `--fallback: no vendor is called "opnai". Perhaps openai is meant; others are added under vendors in `+tr.userPath()+".")
}
