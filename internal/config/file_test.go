package config

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tailscale/hujson"
)

const path = "/home/me/config.json"

// S2.87: each fault is named with its place, the setting, the value and what
// would be accepted.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		// Values.
		{`{"max_tool_turns": 0}`, path + `:1:20: max_tool_turns is 0. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": 10001}`, path + `:1:20: max_tool_turns is 10001. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": 2.5}`, path + `:1:20: max_tool_turns is 2.5. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": 1e400}`, path + `:1:20: max_tool_turns is 1e400. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": 99999999999999999999}`, path + `:1:20: max_tool_turns is 99999999999999999999. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": "50"}`, path + `:1:20: max_tool_turns is "50". Write a whole number from 1 to 10000, without quotes.`},
		{`{"max_tool_turns": null}`, path + `:1:20: max_tool_turns is null. Write a whole number from 1 to 10000.`},
		{`{"max_tool_turns": true}`, path + `:1:20: max_tool_turns is true. Write a whole number from 1 to 10000.`},
		{`{"max_output_size": 1023}`, path + `:1:21: max_output_size is 1023. Write a whole number from 1024 to 1073741824.`},
		{`{"approval": ["ask"]}`, path + `:1:14: approval is a list. Write never, ask, plan or deny, in quotes.`},
		{`{"approval": "Ask"}`, path + `:1:14: approval is "Ask". Write never, ask, plan or deny.`},
		{`{"bash_result": ""}`, path + `:1:17: bash_result is "". Write combined or split.`},
		{`{"tool_choice": "bash tool"}`, path + `:1:17: tool_choice is "bash tool". Write auto, none, required or the name of a tool.`},
		{`{"model": "openai/"}`, path + `:1:11: model is "openai/". Write a model, such as "openai/gpt-5".`},
		{`{"model": "a\u001b[2Jb"}`, path + `:1:11: model is "a\x1b[2Jb". Write a model, such as "openai/gpt-5".`}, // P42
		{`{"database": "~root/x"}`, path + `:1:14: database is "~root/x". Write the path of a file, such as "~/ikigai.db", or the address of a PostgreSQL database, such as "postgres://me@db.example.com/ikigai".`},
		{`{"models": {"gpt-5": {}}}`, path + `:1:13: models.gpt-5 names no model. Write it as "vendor/model", such as "openai/gpt-5".`},
		{`{"models": {"a/b": {"price": {"input": 1}}}}`, path + `:1:13: "models.a/b" has no price for input or for output. Give both, in US dollars per million tokens.`},
		{`{"models": {"a/b": {"price": {"input": -1}}}}`, path + `:1:40: "models.a/b.price.input" is -1. Write US dollars per million tokens, from 0 to 1000000, such as 1.25.`},
		{`{"models": {"a/b": {"price": {"input": "1"}}}}`, path + `:1:40: "models.a/b.price.input" is "1". Write US dollars per million tokens, from 0 to 1000000, such as 1.25, without quotes.`},
		{`{"models": {"a/b": {"contxt": 1}}}`, path + `:1:21: no setting is called "models.a/b.contxt". Perhaps context is meant.`},
		{`{"models": {"a/b": {"levels": {"hihg": 1}}}}`, path + `:1:32: no setting is called "models.a/b.levels.hihg". Perhaps high is meant.`},
		{`{"models": {"a/b": {"levels": {"high": 0}}}}`, path + `:1:40: "models.a/b.levels.high" is 0. Write a word of the vendor's such as "high", a number of tokens such as 8192, or "off".`},
		{`{"fallback": "a/b"}`, path + `:1:14: fallback is "a/b". Write a list in brackets, each of it a model, such as "openai/gpt-5".`},
		{`{"fallback": ["a b"]}`, path + `:1:14: fallback is a list. Write a list in brackets, each of it a model, such as "openai/gpt-5".`},
		{`{"vendors": {"v": {"api": "chatt"}}}`, path + `:1:27: vendors.v.api is "chatt". Write chat, responses, anthropic or gemini.`},
		{`{"vendors": {"v": {"no_modl": true}}}`, path + `:1:20: no setting is called vendors.v.no_modl. Perhaps no_model is meant.`},
		{`{"vendors": {"v": {"body": {"a b": true}}}}`, path + `:1:29: "a b" cannot be a member of a request. Write the name of a member of JSON, such as "reasoning_content".`},
		{`{"thinking": "medium"}`, path + `:1:14: thinking is "medium". Write none, min, low, med or high.`},
		{`{"timeouts": {"idle": 10}}`, path + `:1:23: timeouts.idle is 10. Write a time from 1ms to 24h, such as 500ms, 10s or 2m, in quotes.`},
		{`{"timeouts": {"idle": "10"}}`, path + `:1:23: timeouts.idle is "10". Write a time from 1ms to 24h, such as 500ms, 10s or 2m.`},
		{`{"timeouts": {"idle": "-1s"}}`, path + `:1:23: timeouts.idle is "-1s". Write a time from 1ms to 24h, such as 500ms, 10s or 2m.`},
		{`{"timeouts": {"idle": "25h"}}`, path + `:1:23: timeouts.idle is "25h". Write a time from 1ms to 24h, such as 500ms, 10s or 2m.`},
		{`{"timeouts": "10s"}`, path + `:1:14: timeouts is text. Write an object, such as {}.`},
		{`{"vendors": []}`, path + `:1:13: vendors is a list. Write an object, such as {}.`},
		{`[]`, path + `:1:1: the file holds a list. Write an object, such as {}.`},

		// Places: lines from 1, columns in characters.
		{"{\n  // größer\n  \"max_retries\": 2, \"max_tool_turns\": 0\n}", path + `:3:39: max_tool_turns is 0. Write a whole number from 1 to 10000.`},
		{"\ufeff{\"max_retries\": 99}", path + `:1:17: max_retries is 99. Write a whole number from 0 to 20.`},
		{`{"$schema": "größe", "max_retries": 99}`, path + `:1:37: max_retries is 99. Write a whole number from 0 to 20.`},

		// Names.
		{`{"max_turns": 5}`, path + `:1:2: no setting is called max_turns. Perhaps max_tool_turns is meant.`},
		{`{"vendors": {"x": {"baseURL": ""}}}`, path + `:1:20: no setting is called vendors.x.baseURL. Perhaps base_url is meant.`},
		{`{"vendors": {"x": {"header": {}}}}`, path + `:1:20: no setting is called vendors.x.header. Perhaps headers is meant.`},
		{`{"vendors": {"x": {"apiKey": "0123456789abcdef"}}}`, path + `:1:20: no setting is called vendors.x.apiKey. Name the variable that holds the key in key_env, or a command that prints it in key_cmd, or store it with ` + "`ikigai login`."},
		{`{"timeouts": {"conect": "1s"}}`, path + `:1:15: no setting is called timeouts.conect. Perhaps connect is meant.`},
		{`{"timeouts": {"read": "1s"}}`, path + `:1:15: no setting is called timeouts.read. Known are connect, first_byte, idle.`},
		{`{"timeouts.idle": "1s"}`, path + `:1:2: no setting is called timeouts.idle. Write an object in an object, such as "timeouts": {"idle": …}.`},
		{`{"": 1}`, path + `:1:2: no setting is called "". Known are model, max_tool_turns, max_output_size, max_output_tokens, bash_result, tool_concurrency, tool_choice, approval, allow, thinking, fallback, tool_protocol, max_retries, timeouts, database, objectives, feedback, small_model, context_limit, instructions, tasks, result_format, web_private_addresses, display, theme, keys, editor, while_working, notify_after, screen_reader, undo_limit, toolboxes, vendors, models, mcpServers.`},
		{`{"model": "a/b", "model": "c/d"}`, path + `:1:18: model is set twice. Keep one of the two.`},
		{`{"vendors": {"a/b": {}}}`, path + `:1:14: "a/b" cannot be the name of a vendor. Use letters, digits, - and _.`},
		{`{"vendors": {"x": {"headers": {"A B": ""}}}}`, path + `:1:32: "A B" cannot be the name of a header. Write a header's name, such as "X-Title".`},

		// Syntax.
		{`{"model": "a/b" "max_retries": 1}`, path + `:1:17: the file is not valid JSON: invalid character '"' after object value (expecting ',' or '}'). Correct it there or just before.`},
		{"{\n\"model\": gpt}", path + `:2:10: the file is not valid JSON: this is neither text in quotes nor a number, true or false. Correct it there or just before.`},
		{"{\"model\": \"\xff\"}", path + `:1:12: the file is not UTF-8 text. Save it as UTF-8.`},
	} {
		_, err := parseText(test.file)
		wantUsage(t, err, test.want)
	}
}

// P41: where a key was written by mistake, no error repeats it.
func TestFaultsRepeatNoKey(t *testing.T) {
	const key = "sk-proj-0123456789abcdefghij"
	for _, file := range []string{
		`{"vendors": {"openai": {"key_env": "` + key + `"}}}`,
		`{"vendors": {"openai": {"key_env": "gsk_0123456789abcdefghijklmn"}}}`,
		`{"vendors": {"openai": {"key_cmd": "echo ` + key + `\n"}}}`,
		`{"vendors": {"openai": {"base_url": "https://me:` + key + `@example.com"}}}`,
		`{"vendors": {"openai": {"headers": {"Authorization": "Bearer ` + key + `\n"}}}}`,
		`{"vendors": {"openai": {"headers": {"Bearer ` + key + `": ""}}}}`,
		`{"vendors": {"openai": {"organization": "` + key + `\u0000"}}}`,
		`{"vendors": {"openai": {"api_key": "` + key + `"}}}`,
		`{"vendors": {"openai": {"api": "` + key + `"}}}`,
		`{"model": "` + key + `/"}`,
		`{"model": "` + key + `\x"}`,
		`{"model": ` + key + `}`,
		`{"` + key + `": 1}`,
	} {
		_, err := parseText(file)
		if err == nil {
			t.Errorf("%s is accepted", file)
		} else if strings.Contains(err.Error(), "0123456789") {
			t.Errorf("the key is repeated: %v", err)
		}
	}
}

func TestFilesWithoutSettings(t *testing.T) {
	for _, file := range []string{"", " \n", "{}", "// all of it\n// commented out", "/* x */", "\ufeff", `{"$schema": "x"}`} {
		if s := mustParse(t, file); s.MaxToolTurns != 50 {
			t.Errorf("%q sets something", file)
		}
	}
}

// A hostile file costs no more than an error.
func TestDeepNesting(t *testing.T) {
	for _, open := range []string{"[", `{"a":`} {
		if _, err := parseText(strings.Repeat(open, maxFileSize/len(open))); err == nil {
			t.Errorf("a file of %q is accepted", open)
		}
	}
}

func TestNearest(t *testing.T) {
	var names []string
	for _, f := range table {
		names = append(names, f.name)
	}
	names = append(names, "openai", "openrouter")
	for name, want := range map[string][]string{
		"modle":           {"model"},
		"Model":           {"model"},
		"max-tool-turns":  {"max_tool_turns"},
		"maxToolTurns":    {"max_tool_turns"},
		"max_turns":       {"max_tool_turns"},
		"max_output":      {"max_output_size"},
		"aproval":         {"approval"},
		"opnai":           {"openai"},
		"temperature":     nil,
		"":                nil,
		"x":               nil,
		"timeout.connect": {"timeouts.connect"},
	} {
		if diff := cmp.Diff(want, Nearest(name, names)); diff != "" {
			t.Errorf("nearest to %q (-want +got):\n%s", name, diff)
		}
	}
	if got := Nearest("ab", []string{"ac", "ad", "xyz"}); !slices.Equal(got, []string{"ac", "ad"}) {
		t.Errorf("equally near: %q", got)
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"ab", "ba", 1}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abcd", "acbd", 1}, {"kitten", "sitting", 3}} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("distance of %q and %q is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := distance(test.b, test.a); got != test.want {
			t.Errorf("distance of %q and %q is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

// FuzzFile states two laws. Whatever loads is valid by the published schema.
// And what is shown of it, written as a file, loads to the same settings.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `// c`, `{"model": "a/b/c", "max_tool_turns": 7, "max_output_size": 2048}`,
		`{"$schema": "s", "bash_result": "split", "tool_choice": "bash", "approval": "deny", "max_retries": -0,}`,
		`{"timeouts": {"connect": "1.5s", "first_byte": "1h0m0.5s", "idle": "24h"}, "database": "~/x y.db"}`,
		`{"vendors": {"openai": {"key_cmd": "pass x"}, "l-1": {"api": "chat", "base_url": "http://[::1]:80/v1", "model": "m:1",
		"key_env": "", "organization": "ö", "max_tokens_field": "max_completion_tokens", "insecure": true, "headers": {"x.y": "z", "A": ""}}}}`,
		`{"models": {"a/b/c": {"price": {"input": 1.25, "output": 10, "cache_read": 1e-2}, "levels": {"low": 9, "none": "off", "high": "x"}, "no_files": true}}, "fallback": ["a/b", "c"],
		"vendors": {"v": {"body": {"a": [1, /* x */ {"b": null}]}, "replay": ["x", "y"], "base_url": "https://{A|B}/x", "key_env": "A B", "api": "gemini"}}, "database": "postgres://u:p@h/d?x=1"}`,
		`{"mcpServers": {"a b": {"command": "x", "args": ["", "${A:-b}"], "env": {"A": 1}, "cwd": "~/x", "timeout": 5000, "x": [null]}, "b": {"url": "u", "headers": {"A": ""}, "enabled": false, "tools": []}},
		"toolboxes": ["~/x", "y"], "undo_limit": 0, "web_private_addresses": false, "result_format": "frontmatter"}`,
		"{\"database\": \"\\ud800\"}", `{"max_tool_turns": "50"}`, `{"vendors": {"x": {"base_url": "https://%"}}}`, "\ufeff{}", "[1,", `{"a`,
	} {
		f.Add([]byte(seed))
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		f.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := parseText(string(content))
		if err != nil {
			return
		}
		if standard, err := hujson.Standardize(append(content, '\n')); err == nil {
			var instance any
			if err := json.Unmarshal(standard, &instance); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(instance); err != nil {
				t.Errorf("the schema refuses what loads: %v", err)
			}
		}
		again := mustParse(t, fileOf(t, s))
		if diff := cmp.Diff(s.entries(), again.entries(), cmp.FilterPath(isOrigin, cmp.Ignore())); diff != "" {
			t.Errorf("what is shown loads to something else (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(s.MCPServers, again.MCPServers, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("servers written as a file load to something else (-want +got):\n%s", diff)
		}
		s.Show()
	})
}

func isOrigin(p cmp.Path) bool { return p.Last().String() == ".Origin" }

// fileOf returns a file of settings that sets what is shown of s.
func fileOf(t *testing.T, s *Settings) string {
	entries := map[string]bool{}
	for _, e := range s.entries() {
		entries[e.Key] = true
	}
	root := map[string]any{}
	insert(root, table, s, "", entries)
	vendors := map[string]any{}
	for name, v := range s.Vendors {
		vendor := map[string]any{}
		if v.Headers != nil {
			vendor["headers"] = v.Headers
		}
		if v.Quirks.Body != nil {
			vendor["body"] = v.Quirks.Body
		}
		insert(vendor, vendorTable, &v, "vendors."+name+".", entries)
		vendors[name] = vendor
	}
	root["vendors"] = vendors
	models := map[string]any{}
	for name, o := range s.models {
		model := map[string]any{}
		insert(model, modelTable, &o, "models."+name+".", entries)
		models[name] = model
	}
	root["models"] = models
	servers := map[string]any{}
	for name, m := range s.MCPServers {
		servers[name] = serverOf(m)
	}
	root["mcpServers"] = servers
	file, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// serverOf returns m as a file has it.
func serverOf(m MCPServer) map[string]any {
	server := map[string]any{"type": m.Type, "disabled": m.Disabled, "env": m.Env, "headers": m.Headers}
	if m.Command != "" {
		server["command"] = m.Command
	} else {
		server["url"] = m.URL
	}
	if m.Timeout != 0 {
		server["timeout"] = m.Timeout.String()
	}
	if m.Cwd != "" {
		server["cwd"] = m.Cwd
	}
	for name, list := range map[string][]string{"args": m.Args, "tools": m.Tools, "disabledTools": m.DisabledTools} {
		if list != nil {
			server[name] = list
		}
	}
	for _, name := range []string{"env", "headers"} {
		if len(server[name].(map[string]string)) == 0 {
			delete(server, name)
		}
	}
	return server
}

// insert adds those of fields whose keys, after prefix, are among entries.
func insert[T any](into map[string]any, fields []field[T], from *T, prefix string, entries map[string]bool) {
	for _, f := range fields {
		v := f.of(from)
		text := v.String()
		if !entries[prefix+f.name] {
			continue
		}
		object, name := into, f.name
		if group, rest, nested := strings.Cut(name, "."); nested {
			if into[group] == nil {
				into[group] = map[string]any{}
			}
			object, name = into[group].(map[string]any), rest
		}
		switch jsonType(v) {
		case "string":
			object[name] = text
		case "array":
			object[name] = strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
		default:
			object[name] = json.RawMessage(text)
		}
	}
}
