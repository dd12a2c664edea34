package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"ikigai/internal/safetext"
)

// MCPServer is a server of the Model Context Protocol as the settings have it,
// in the form that other agents use. Its texts may hold names of variables:
// Settings.MCPServer returns it with their values.
type MCPServer struct {
	Type     string            // MCPStdio, MCPHTTP or MCPSSE, never ""
	Command  string            // of MCPStdio: the program
	Args     []string          // of the program
	Env      map[string]string // variables for the program beside those that it gets anyway
	Cwd      string            // where the program starts, absolute; "" is the session's directory
	URL      string            // of the others
	Headers  map[string]string // of every request
	OAuth    MCPOAuth          // for a login
	Disabled bool
	Timeout  time.Duration // of one call; 0 leaves it to the program

	// Tools names the tools that are wanted of the server, nil for all, and
	// DisabledTools those that are not.
	Tools, DisabledTools []string
}

// MCPOAuth is how this program is known where a person logs in at a server that
// does not register programs by itself.
type MCPOAuth struct {
	ClientID, ClientSecret string
	Metadata               string // address of a document that describes this program
}

// Values of a server's type.
const (
	MCPStdio = "stdio" // a program on this machine
	MCPHTTP  = "http"  // the protocol's streamable HTTP
	MCPSSE   = "sse"   // its older form, two connections
)

// Offers reports whether the tool called name, in the server's own words, is
// wanted of it.
func (m MCPServer) Offers(name string) bool {
	wanted := m.Tools == nil || slices.Contains(m.Tools, name) || slices.Contains(m.Tools, "*")
	return wanted && !slices.Contains(m.DisabledTools, name)
}

// MCPServer returns the server called name with the values of the variables in
// its texts. The error, of kind usage, names a variable that is not set.
func (s *Settings) MCPServer(name string) (MCPServer, error) {
	m := s.MCPServers[name]
	var missing []string
	fill := func(text string) string { return s.expand(text, &missing) }
	m.Command, m.Cwd, m.URL = fill(m.Command), fill(m.Cwd), fill(m.URL)
	m.OAuth = MCPOAuth{fill(m.OAuth.ClientID), fill(m.OAuth.ClientSecret), fill(m.OAuth.Metadata)}
	m.Args = slices.Clone(m.Args)
	for i := range m.Args {
		m.Args[i] = fill(m.Args[i])
	}
	m.Env, m.Headers = maps.Clone(m.Env), maps.Clone(m.Headers)
	for _, texts := range []map[string]string{m.Env, m.Headers} {
		for k, text := range texts {
			texts[k] = fill(text)
		}
	}
	if missing != nil {
		slices.Sort(missing)
		key := mcpKey(name)
		return m, usage(s.Origin(key)+": "+quoteKey(key)+" needs variables that are not set: "+strings.Join(slices.Compact(missing), ", "),
			"Set them, or write ${NAME:-otherwise}")
	}
	return m, nil
}

// expand puts the values of variables into text: ${NAME}, ${env:NAME} and
// ${NAME:-otherwise}.
func (s *Settings) expand(text string, missing *[]string) string {
	return mcpVariable().ReplaceAllStringFunc(text, func(found string) string {
		name, otherwise, has := strings.Cut(strings.TrimPrefix(found[2:len(found)-1], "env:"), ":-")
		if value := s.getenv(name); value != "" {
			return value
		}
		if !has {
			*missing = append(*missing, name)
		}
		return otherwise
	})
}

func mcpVariable() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(env:)?[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}`)
}

func mcpKey(name string) string { return mcpServersKey + "." + name }

const mcpServersKey = "mcpServers"

// mcpTable lists the settings of one server that are one value each.
var mcpTable = []field[mcpDraft]{
	{name: "type",
		doc: "How the server is reached: `stdio` is a program on this machine, `http` an address, `sse` an address in the protocol's older form. Left out, it follows from `command` or `url`.",
		of:  func(m *mcpDraft) value { return &choice{&m.Type, mcpTypes()} }},
	{name: "command", private: true,
		doc: "The program, found as a shell finds it. `${NAME}` stands for the value of that variable of the environment, `${NAME:-otherwise}` for it or else for the rest, here and in all texts of a server.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.Command, rule: ruleLine} }},
	{name: "cwd",
		doc: "Directory in which the program starts. Left out, it is that of the session.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.Cwd, rule: ruleLine} }},
	{name: "url", private: true,
		doc: "Address of the server.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.URL, rule: ruleLine} }},
	{name: "oauth.client_id",
		doc: "What this program is called where a person logs in, for servers that do not register programs by themselves.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.OAuth.ClientID, rule: ruleLine} }},
	{name: "oauth.client_secret", private: true,
		doc: "What goes with it, where there is something.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.OAuth.ClientSecret, rule: ruleLine} }},
	{name: "oauth.metadata",
		doc: "Or the https address of a document that describes this program.",
		of:  func(m *mcpDraft) value { return &pattern{p: &m.OAuth.Metadata, rule: ruleLine} }},
	{name: "disabled", def: "false",
		doc: "Do not use the server.",
		of:  func(m *mcpDraft) value { return &boolean{&m.Disabled} }},
	{name: "timeout",
		doc: "Time for one call, such as `\"90s\"`. A number is one of seconds, and of milliseconds from 3601 on: other agents write both.",
		of:  func(m *mcpDraft) value { return &callTime{&m.Timeout} }},
}

// mcpDraft is a server while it is read.
type mcpDraft struct {
	MCPServer
	enabled bool
}

// mcpTypes returns the names that a type may have; other agents have several.
func mcpTypes() []string {
	return []string{MCPStdio, MCPHTTP, MCPSSE, "local", "remote", "streamable-http", "streamableHttp", "streamable_http"}
}

// mcpType returns the constant for a name of a type.
func mcpType(name string) string {
	switch name {
	case "", MCPStdio, MCPSSE:
		return name
	case "local":
		return MCPStdio
	}
	return MCPHTTP
}

// mcpName returns what a member of a server is called here.
func mcpName(name string) string {
	switch name {
	case "transport", "transportType":
		return "type"
	case "httpUrl", "serverUrl":
		return "url"
	case "http_headers":
		return "headers"
	case "environment":
		return "env"
	case "includeTools", "enabledTools", "enabled_tools", "allowedTools":
		return "tools"
	case "excludeTools", "disabled_tools":
		return "disabledTools"
	}
	return name
}

// mcpServers takes over the object of servers. What stands there already is the
// person's, or that of a file that counts for more, and stays.
func (f *file) mcpServers(m member) error {
	return f.members(m.key, m.value, f.server)
}

// server takes over a member of the object of servers.
func (f *file) server(m member) error {
	if strings.TrimSpace(m.name) == "" || !ruleLine.valid(m.name) || len(m.name) > maxShown {
		return f.fault(m.at, fmt.Sprintf("%q cannot be the name of a server", clip(m.name)), "Use a short line of text")
	}
	server, err := f.mcpServer(m)
	if _, taken := f.s.MCPServers[m.name]; err != nil || taken {
		return err
	}
	if f.s.MCPServers == nil {
		f.s.MCPServers = make(map[string]MCPServer)
	}
	f.s.MCPServers[m.name] = server
	f.place(m.key, m.at)
	return nil
}

func (f *file) mcpServer(server member) (MCPServer, error) {
	d := mcpDraft{enabled: true}
	err := f.members(server.key, server.value, func(m member) error { return f.mcpMember(&d, m) })
	if err != nil {
		return MCPServer{}, err
	}
	d.Disabled = d.Disabled || !d.enabled
	if d.Cwd != "" && !strings.HasPrefix(d.Cwd, "${") {
		d.Cwd = absolute(d.Cwd, f.base(), f.home)
	}
	switch d.Type = mcpType(d.Type); {
	case d.Command == "" && d.URL == "":
		return MCPServer{}, f.fault(server.at, quoteKey(server.key)+" has neither command nor url", "Give the program to start, or the address")
	case d.Command != "" && d.URL != "":
		return MCPServer{}, f.fault(server.at, quoteKey(server.key)+" has command and url", "Keep one of the two")
	case d.OAuth.ClientSecret != "" && d.OAuth.ClientID == "":
		return MCPServer{}, f.fault(server.at, quoteKey(server.key)+" has oauth.client_secret without oauth.client_id", "Add the client_id")
	case d.Command != "" && cmp.Or(d.Type, MCPStdio) != MCPStdio || d.URL != "" && d.Type == MCPStdio:
		return MCPServer{}, f.fault(server.at, quoteKey(server.key)+" has a type that does not go with it", "Leave the type out")
	case d.Type == "" && d.Command != "":
		d.Type = MCPStdio
	case d.Type == "":
		d.Type = MCPHTTP
	}
	return d.MCPServer, nil
}

// mcpMember takes over a member of a server. Members that only other agents
// know are passed over, so that their blocks can be pasted; a slip is refused.
func (f *file) mcpMember(d *mcpDraft, m member) error {
	name := mcpName(m.name)
	switch name {
	case "args":
		return f.texts(m, &d.Args)
	case "tools":
		return f.texts(m, &d.Tools)
	case "disabledTools":
		return f.texts(m, &d.DisabledTools)
	case "env":
		return f.named(m, &d.Env)
	case "headers":
		return f.named(m, &d.Headers)
	case "enabled":
		return f.set(m, &boolean{&d.enabled}, false)
	case "oauth":
		return f.oauth(d, m)
	}
	beside := slices.Concat(mcpLists, mcpTexts, []string{"enabled"})
	known := append(siblings(mcpTable, nil, ""), beside...)
	if slices.Contains(known, name) || Nearest(name, known) != nil && !slices.Contains(mcpForeign, name) {
		return assign(f, mcpTable, beside, d, name, m)
	}
	return nil
}

// oauth takes over what a login needs. Other agents have further members there,
// or a word for whether there is one.
func (f *file) oauth(d *mcpDraft, oauth member) error {
	if typeOf(oauth.value) != "object" {
		return nil
	}
	known := siblings(mcpTable, nil, "oauth.")
	return f.members(oauth.key, oauth.value, func(m member) error {
		name := m.name
		switch name {
		case "clientId":
			name = "client_id"
		case "clientSecret":
			name = "client_secret"
		}
		if Nearest(name, known) == nil && !slices.Contains(known, name) {
			return nil
		}
		return assign(f, mcpTable, nil, d, "oauth."+name, m)
	})
}

var (
	mcpLists = []string{"args", "tools", "disabledTools"}
	mcpTexts = []string{"env", "headers"}
)

// mcpForeign are members of other agents that resemble one of ours.
var mcpForeign = []string{"envFile"}

// texts takes over a list of texts.
func (f *file) texts(m member, into *[]string) error {
	array, ok := m.value.Value.(*hujson.Array)
	if !ok {
		return badValue(f.position(m.value.StartOffset), m.key, describe(m.value), "a list of texts in brackets")
	}
	all := make([]string, len(array.Elements))
	for i, e := range array.Elements {
		if all[i] = literal(e); typeOf(e) != "string" || strings.ContainsRune(all[i], 0) {
			return badValue(f.position(e.StartOffset), m.key, "a list with something else in it", "a list of texts in brackets")
		}
	}
	*into = all
	return nil
}

// named takes over an object of texts. They may be secret.
func (f *file) named(texts member, into *map[string]string) error {
	*into = make(map[string]string)
	return f.members(texts.key, texts.value, func(m member) error {
		if strings.ContainsAny(m.name, "=\x00\r\n") || m.name == "" {
			return f.fault(m.at, fmt.Sprintf("%q cannot be a name here", clip(m.name)), "Use the name of a variable or header")
		}
		text := literal(m.value)
		if kind := typeOf(m.value); kind == "object" || kind == "array" || kind == "null" || strings.ContainsRune(text, 0) {
			return badValue(f.position(m.value.StartOffset), m.key, "not acceptable", "a text in quotes")
		}
		(*into)[m.name] = text
		return nil
	})
}

// base is the directory at which relative paths of the file start: its own, and
// for what lies in .ikigai the one around that.
func (f *file) base() string {
	dir := filepath.Dir(f.path)
	if filepath.Base(dir) == ".ikigai" {
		return filepath.Dir(dir)
	}
	return dir
}

// callTime is the time for a call, 0 where it is not set.
type callTime struct{ p *time.Duration }

func (v *callTime) set(text string) bool {
	n, err := strconv.Atoi(text)
	if err != nil {
		return (&duration{p: v.p}).set(text)
	}
	unit := time.Second
	if n > 3600 {
		unit = time.Millisecond
	}
	if n <= 0 || n > int(maxDuration/unit) {
		return false
	}
	*v.p = time.Duration(n) * unit
	return true
}

// String returns "" for a time that nobody set.
func (v *callTime) String() string {
	if *v.p == 0 {
		return ""
	}
	return (&duration{p: v.p}).String()
}

func (v *callTime) accepts() string { return `a time such as "90s", or a number of seconds` }

func (v *callTime) schema() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": `^([0-9.]+(h|m|s|ms))+$`, "minimum": 1}
}

// mcpEntries returns what is shown of the servers, secrets masked.
func (s *Settings) mcpEntries() []Entry {
	var entries []Entry
	for _, name := range slices.Sorted(maps.Keys(s.MCPServers)) {
		m, key := s.MCPServers[name], mcpKey(name)
		add := func(member, text string) {
			if text != "" {
				entries = append(entries, Entry{key + "." + member, text, s.Origin(key)})
			}
		}
		add("type", m.Type)
		add("command", maskKeys(m.Command))
		add("args", maskKeys(strings.Join(m.Args, " ")))
		add("cwd", m.Cwd)
		add("url", maskQuery(m.URL))
		add("oauth.client_id", m.OAuth.ClientID)
		if m.OAuth.ClientSecret != "" {
			add("oauth.client_secret", safetext.Redacted)
		}
		add("oauth.metadata", maskQuery(m.OAuth.Metadata))
		if m.Disabled {
			add("disabled", "true")
		}
		add("timeout", (&callTime{&m.Timeout}).String())
		add("tools", strings.Join(m.Tools, ","))
		add("disabledTools", strings.Join(m.DisabledTools, ","))
		for _, variable := range slices.Sorted(maps.Keys(m.Env)) {
			add("env."+variable, safetext.Redacted)
		}
		for _, header := range slices.Sorted(maps.Keys(m.Headers)) {
			add("headers."+header, safetext.Redacted)
		}
	}
	return entries
}

// maskQuery masks what follows the question mark of an address, and a password:
// some servers are given their key there.
func maskQuery(address string) string {
	if before, _, found := strings.Cut(address, "?"); found {
		address = before + "?" + safetext.Redacted
	}
	if scheme, rest, found := strings.Cut(address, "://"); found {
		if at := strings.LastIndexByte(rest[:cutAt(rest, "/?")], '@'); at >= 0 {
			address = scheme + "://" + safetext.Redacted + rest[at:]
		}
	}
	return maskKeys(address)
}

// cutAt returns where the first of chars stands in text, or its length.
func cutAt(text, chars string) int {
	if i := strings.IndexAny(text, chars); i >= 0 {
		return i
	}
	return len(text)
}
