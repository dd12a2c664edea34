package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/safetext"
)

// Blocks as other agents' manuals show them load as they are.
func TestMCPServersOfOtherAgents(t *testing.T) {
	for _, c := range []struct {
		name, server string
		want         MCPServer
	}{
		{"Claude Code", `{"command": "npx", "args": ["-y", "pkg@1.2", ""], "env": {"KEY": "${KEY}"}}`,
			MCPServer{Type: MCPStdio, Command: "npx", Args: []string{"-y", "pkg@1.2", ""}, Env: map[string]string{"KEY": "${KEY}"}}},
		{"Claude Code, http", `{"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ${T}"}}`,
			MCPServer{Type: MCPHTTP, URL: "https://mcp.example.com/mcp", Headers: map[string]string{"Authorization": "Bearer ${T}"}}},
		{"Cline", `{"url": "https://x.example.com", "type": "streamableHttp", "disabled": true, "autoApprove": ["a"], "alwaysAllow": [], "timeout": 60}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", Disabled: true, Timeout: time.Minute}},
		{"Gemini", `{"httpUrl": "https://x.example.com", "timeout": 600000, "trust": true, "includeTools": ["a"], "excludeTools": ["b"], "description": "x"}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", Timeout: 10 * time.Minute, Tools: []string{"a"}, DisabledTools: []string{"b"}}},
		{"Windsurf", `{"serverUrl": "https://x.example.com/sse", "type": "sse", "disabledTools": ["b"]}`,
			MCPServer{Type: MCPSSE, URL: "https://x.example.com/sse", DisabledTools: []string{"b"}}},
		{"Copilot", `{"type": "local", "command": "x", "tools": ["*"], "env": {"PORT": 8080, "DEBUG": true}}`,
			MCPServer{Type: MCPStdio, Command: "x", Tools: []string{"*"}, Env: map[string]string{"PORT": "8080", "DEBUG": "true"}}},
		{"OpenCode", `{"type": "remote", "url": "https://x.example.com", "enabled": false, "envFile": ".env"}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", Disabled: true}},
		{"Claude Code, a login", `{"url": "https://x.example.com", "oauth": {"clientId": "me", "callbackPort": 8080}}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", OAuth: MCPOAuth{ClientID: "me"}}},
		{"OpenCode, a login", `{"url": "https://x.example.com", "oauth": {"clientId": "me", "clientSecret": "${S}", "scope": "a b"}}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", OAuth: MCPOAuth{ClientID: "me", ClientSecret: "${S}"}}},
		{"OpenCode, no login", `{"url": "https://x.example.com", "oauth": false}`, MCPServer{Type: MCPHTTP, URL: "https://x.example.com"}},
		{"a document", `{"url": "https://x.example.com", "oauth": {"metadata": "https://me.example.com/client.json"}}`,
			MCPServer{Type: MCPHTTP, URL: "https://x.example.com", OAuth: MCPOAuth{Metadata: "https://me.example.com/client.json"}}},
		{"a directory", `{"command": "x", "cwd": "~/src", "timeout": "1m30s"}`,
			MCPServer{Type: MCPStdio, Command: "x", Cwd: "/home/me/src", Timeout: 90 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustParse(t, `{"mcpServers": {"s": `+c.server+`}}`)
			if diff := cmp.Diff(c.want, s.MCPServers["s"]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMCPServerFaults(t *testing.T) {
	for _, c := range []struct{ server, want string }{
		{`{}`, `/home/me/config.json:1:17: mcpServers.s has neither command nor url. Give the program to start, or the address.`},
		{`{"command": "x", "url": "y"}`, `/home/me/config.json:1:17: mcpServers.s has command and url. Keep one of the two.`},
		{`{"comand": "x"}`, `/home/me/config.json:1:23: no setting is called mcpServers.s.comand. Perhaps command is meant.`},
		{`{"command": "x", "type": "http"}`, `/home/me/config.json:1:17: mcpServers.s has a type that does not go with it. Leave the type out.`},
		{`{"command": ["x"]}`, `/home/me/config.json:1:34: mcpServers.s.command is a list. Write a single line of text, in quotes.`},
		{`{"command": "x", "args": "y"}`, `/home/me/config.json:1:47: mcpServers.s.args is text. Write a list of texts in brackets.`},
		{`{"command": "x", "args": [1]}`, `/home/me/config.json:1:48: mcpServers.s.args is a list with something else in it. Write a list of texts in brackets.`},
		{`{"command": "x", "env": {"A": {"secret": 1}}}`, `/home/me/config.json:1:52: mcpServers.s.env.A is not acceptable. Write a text in quotes.`},
		{`{"command": "x", "timeout": 0}`, `/home/me/config.json:1:50: mcpServers.s.timeout is 0. Write a time such as "90s", or a number of seconds.`},
		{`{"url": "u", "oauth": {"client_secret": "s"}}`, `/home/me/config.json:1:17: mcpServers.s has oauth.client_secret without oauth.client_id. Add the client_id.`},
		{`{"url": "u", "oauth": {"client_idd": "s"}}`, `/home/me/config.json:1:45: no setting is called mcpServers.s.oauth.client_idd. Perhaps client_id is meant.`},
		{`{"url": "u", "oauth": {"client_id": 1}}`, `/home/me/config.json:1:58: mcpServers.s.oauth.client_id is 1. Write a single line of text, in quotes.`},
	} {
		_, err := parseText(`{"mcpServers": {"s": ` + c.server + `}}`)
		wantUsage(t, err, c.want)
	}
}

func TestMCPServerVariables(t *testing.T) {
	s := mustParse(t, `{"mcpServers": {
		"full": {"command": "${BIN}", "args": ["--token=${TOKEN:-none}", "$BIN", "${BIN}${env:BIN}"], "env": {"A": "${EMPTY:-}"}},
		"poor": {"url": "https://${HOST}/${PATH_OF}", "headers": {"X": "${HOST}"}},
		"login": {"url": "u", "oauth": {"client_id": "${BIN}", "client_secret": "${BIN}", "metadata": "${BIN}"}}}}`, "BIN=/bin/x")
	full, err := s.MCPServer("full")
	if err != nil {
		t.Fatal(err)
	}
	want := MCPServer{Type: MCPStdio, Command: "/bin/x", Args: []string{"--token=none", "$BIN", "/bin/x/bin/x"}, Env: map[string]string{"A": ""}}
	if diff := cmp.Diff(want, full); diff != "" {
		t.Error(diff)
	}
	if got := s.MCPServers["full"].Args[0]; got != "--token=${TOKEN:-none}" {
		t.Errorf("the setting itself became %q", got)
	}
	login, err := s.MCPServer("login")
	if want := (MCPOAuth{"/bin/x", "/bin/x", "/bin/x"}); err != nil || login.OAuth != want {
		t.Errorf("%+v, %v", login.OAuth, err)
	}
	_, err = s.MCPServer("poor")
	wantUsage(t, err, `/home/me/config.json:3: mcpServers.poor needs variables that are not set: HOST, PATH_OF. Set them, or write ${NAME:-otherwise}.`)
}

func TestMCPServerOffers(t *testing.T) {
	for _, c := range []struct {
		server MCPServer
		want   string
	}{
		{MCPServer{}, "a b"},
		{MCPServer{Tools: []string{"*"}, DisabledTools: []string{"a"}}, "b"},
		{MCPServer{Tools: []string{"a"}}, "a"},
		{MCPServer{Tools: []string{}}, ""},
	} {
		var got []string
		for _, name := range []string{"a", "b"} {
			if c.server.Offers(name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v offers %q, want %q", c.server, got, c.want)
		}
	}
}

// P41
func TestMCPServersAreShownWithoutSecrets(t *testing.T) {
	const secret = "hush4711hush4711hush"
	s := mustParse(t, `{"mcpServers": {
		"a": {"command": "x", "args": ["--key", "`+secret+`"], "env": {"A": "`+secret+`"}},
		"b": {"url": "https://me:`+secret+`@example.com/mcp?key=`+secret+`", "headers": {"X": "`+secret+`"},
			"oauth": {"client_id": "me", "client_secret": "`+secret+`"}}}}`)
	var shown []string
	for _, e := range s.Show() {
		if strings.Contains(e.Value, secret) {
			t.Errorf("%s shows %s", e.Key, e.Value)
		}
		if strings.HasPrefix(e.Key, "mcpServers.") {
			shown = append(shown, e.Key+"="+e.Value)
		}
	}
	want := []string{
		"mcpServers.a.type=stdio", "mcpServers.a.command=x", "mcpServers.a.args=--key " + safetext.Redacted, "mcpServers.a.env.A=" + safetext.Redacted,
		"mcpServers.b.type=http", "mcpServers.b.url=https://" + safetext.Redacted + "@example.com/mcp?" + safetext.Redacted, "mcpServers.b.oauth.client_id=me", "mcpServers.b.oauth.client_secret=" + safetext.Redacted,
		"mcpServers.b.headers.X=" + safetext.Redacted,
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
}
