package config

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/providertest"
)

const key = "secret-0123456789"

func TestResolve(t *testing.T) {
	s := mustParse(t, `{"model": "openai/gpt-5-mini", "max_retries": 5, "timeouts": {"idle": "9s"},
		"vendors": {"openai": {"organization": "org-1", "headers": {"X-A": "1"}}}}`, "OPENAI_API_KEY= "+key+"\n")
	got, err := s.Resolve(t.Context(), Keys{})
	if err != nil {
		t.Fatal(err)
	}
	want := Endpoint{
		Name: "openai/gpt-5-mini", Vendor: "openai", Model: "gpt-5-mini", API: "responses", BaseURL: "https://api.openai.com/v1",
		ToolProtocol: "native", Key: key, KeySource: "OPENAI_API_KEY", Auth: "key",
		Organization: "org-1", Headers: map[string]string{"X-A": "1"}, MaxRetries: 5,
		Timeouts: Timeouts{10 * time.Second, 5 * time.Minute, 9 * time.Second},
	}
	want.Known, _ = s.Known("openai/gpt-5-mini")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("endpoint (-want +got):\n%s", diff)
	}
}

// Which model is used, rule by rule.
func TestChoosing(t *testing.T) {
	const two = `"a": {"base_url": "http://localhost:1", "model": "m"}, "b": {"base_url": "http://localhost:2"}`
	for _, test := range []struct {
		name, file string
		environ    []string
		want       string
	}{
		{"only the first slash splits", `{"model": "openrouter/openai/gpt-4o"}`, []string{"OPENROUTER_API_KEY=k"}, "openrouter/openai/gpt-4o"},
		{"a vendor alone", `{"model": "deepseek"}`, []string{"DEEPSEEK_API_KEY=k", "OPENAI_API_KEY=k"}, "deepseek/deepseek-v4-flash"},
		{"a vendor alone, own model", `{"model": "a", "vendors": {` + two + `}}`, nil, "a/m"},
		{"first preset with a key", `{}`, []string{"MISTRAL_API_KEY=k", "GROQ_API_KEY=k", "XAI_API_KEY= "}, "groq/openai/gpt-oss-120b"},
		{"preset with another model", `{"vendors": {"openai": {"model": "gpt-5.4"}}}`, []string{"OPENAI_API_KEY=k"}, "openai/gpt-5.4"},
		{"preset with another variable", `{"vendors": {"xai": {"key_env": "MY_KEY"}}}`, []string{"MY_KEY=k", "GROQ_API_KEY=k"}, "xai/grok-4-fast"},
		{"preset with a command", `{"vendors": {"mistral": {"key_cmd": "k"}}}`, []string{"OPENROUTER_API_KEY=k"}, "mistral/mistral-medium-latest"},
		{"a key before an own vendor", `{"vendors": {"a": {"base_url": "http://localhost:1", "model": "m"}}}`, []string{"OPENAI_API_KEY=k"}, "openai/gpt-5"},
		{"the only own vendor", `{"vendors": {"a": {"base_url": "http://localhost:1", "model": "m"}, "openai": {"organization": "o"}}}`, nil, "a/m"},
		{"a preset sent elsewhere", `{"vendors": {"openai": {"base_url": "http://localhost:1"}}}`, nil, "openai/gpt-5"},
		{"own vendor without a model", `{"vendors": {"a": {"base_url": "http://localhost:1"}}}`, nil,
			`No model of the vendor a is named. Set model to "a/NAME", with the name of a model that it serves, or set vendors.a.model.`},
		{"several own vendors", `{"vendors": {` + two + `}}`, nil,
			"No model is chosen, and the settings have several vendors: a, b. Choose one with --model, or set model in " + path + "."},
		{"nothing", `{}`, nil,
			"No model is chosen and no key of a model vendor is in the environment. Export a key such as OPENAI_API_KEY, store one with `ikigai login openai`, " +
				"or name a local server in " + path + "; `ikigai demo` shows what there is without either."},
		{"unknown vendor", `{"model": "opnai/gpt-5"}`, nil,
			path + `:1: no vendor is called "opnai". Perhaps openai is meant; others are added under vendors in ` + path + "."},
		{"no vendor", `{"model": "gpt-5"}`, nil, path + `:1: no vendor is called "gpt-5". Write the model as openai/gpt-5.`},
		{"no vendor at all like it", `{"model": "something"}`, nil, path + `:1: no vendor is called "something". ` +
			"Write the model as vendor/model, such as openai/gpt-4o. Known are anthropic, azure, bedrock, bedrock-open, cerebras, deepseek, google, groq, " +
			"llamacpp, lmstudio, meta, mistral, ollama, openai, openrouter, vertex, vertex-claude, vllm, xai, zai."},
		{"a known model without its vendor", `{"model": "gemini-2.5-pro:high"}`, nil, path + `:1: no vendor is called "gemini-2.5-pro". Write the model as google/gemini-2.5-pro.`},
		{"a level is no part of the name", `{"model": "openai/gpt-5:low"}`, []string{"OPENAI_API_KEY=k"}, "openai/gpt-5"},
		{"another colon is", `{"model": "ollama/qwen3:8b"}`, nil, "ollama/qwen3:8b"},
		{"a colon and a level", `{"model": "ollama/qwen3:8b:none"}`, nil, "ollama/qwen3:8b"},
		{"a vendor with a level", `{"model": "llamacpp:med"}`, nil, "llamacpp/any"},
		{"nothing local is chosen by chance", `{"vendors": {"ollama": {"model": "qwen3:8b"}}}`, nil,
			"No model is chosen and no key of a model vendor is in the environment. Export a key such as OPENAI_API_KEY, store one with `ikigai login openai`, " +
				"or name a local server in " + path + "; `ikigai demo` shows what there is without either."},
		{"the second variable of a vendor", `{}`, []string{"GOOGLE_API_KEY=k"}, "google/gemini-3.5-flash"},
		{"no slash, but almost a vendor", `{"model": "opnai"}`, nil, path + `:1: no vendor is called "opnai". ` +
			"Write the model as vendor/model, such as openai/gpt-4o. Perhaps openai is meant."},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustParse(t, test.file, test.environ...)
			got, err := s.Resolve(t.Context(), Keys{Command: func(context.Context, string) (string, error) { return "k", nil }})
			if err != nil {
				wantUsage(t, err, test.want)
			} else if got.Name != test.want {
				t.Errorf("got %s, want %s", got.Name, test.want)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	const vendor = `{"model": "v/m", "vendors": {"v": {`
	ok := func(context.Context, string) (string, error) { return " " + key + "\n", nil }
	for _, test := range []struct {
		name, file string
		environ    []string
		run        KeyCommand
		source     string // of key
		want       string // the error
	}{
		{name: "variable", file: vendor + `"base_url": "https://x", "key_env": "K"}}}`, environ: []string{"K=" + key}, source: "K"},
		{name: "command", file: vendor + `"base_url": "https://x", "key_cmd": "c"}}}`, run: ok, source: "key_cmd"},
		{name: "variable before command", file: vendor + `"base_url": "https://x", "key_env": "K", "key_cmd": "c"}}}`, environ: []string{"K=" + key}, source: "K"},
		{name: "command when the variable is empty", file: vendor + `"base_url": "https://x", "key_env": "K", "key_cmd": "c"}}}`, environ: []string{"K= "}, run: ok, source: "key_cmd"},
		{name: "none needed", file: vendor + `"base_url": "https://x"}}}`},
		{name: "none needed here", file: vendor + `"base_url": "http://[::1]:8080/v1", "key_env": "K"}}}`},
		{name: "preset without its key variable", file: `{"model": "openai", "vendors": {"openai": {"key_env": ""}}}`},
		{name: "empty variable", file: `{"model": "openai"}`, environ: []string{"OPENAI_API_KEY="},
			want: "There is no key for openai: the variable OPENAI_API_KEY is empty. " +
				"Export OPENAI_API_KEY, store a key with `ikigai login openai`, or set vendors.openai.key_cmd in " + path + " to a command that prints the key."},
		{name: "no runner", file: vendor + `"base_url": "https://x", "key_cmd": "c"}}}`,
			want: "The command in vendors.v.key_cmd (" + path + ":1) may not be run here. Put the key into a variable instead."},
		{name: "failure", file: vendor + `"base_url": "https://x", "key_cmd": "c"}}}`,
			run:  func(context.Context, string) (string, error) { return key, errors.New(key) },
			want: "The command in vendors.v.key_cmd (" + path + ":1) failed. Run it in a shell to see why."},
		{name: "nothing", file: vendor + `"base_url": "https://x", "key_cmd": "c"}}}`,
			run:  func(context.Context, string) (string, error) { return "\n", nil },
			want: "The command in vendors.v.key_cmd (" + path + ":1) gave nothing. See that it prints the key on standard output."},
		{name: "two lines", file: vendor + `"base_url": "https://x", "key_cmd": "c"}}}`,
			run:  func(context.Context, string) (string, error) { return key + "\nurl: x\n", nil },
			want: "The command in vendors.v.key_cmd (" + path + ":1) gave more than one line. See that the key stands alone."},
		{name: "typographic quotes", file: vendor + `"base_url": "https://x", "key_env": "K"}}}`, environ: []string{"K=“" + key + "”"},
			want: "The variable K holds characters that no key has. Copy the key once more, without quotes and spaces."},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := mustParse(t, test.file, test.environ...)
			got, err := s.Resolve(t.Context(), Keys{Command: test.run})
			if test.want != "" {
				wantUsage(t, err, test.want)
				if got.Key != "" {
					t.Error("the error comes with a key")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if wantKey := map[bool]string{true: key}[test.source != ""]; got.Key != wantKey || got.KeySource != test.source {
				t.Errorf("key %q from %q, want %q from %q", got.Key, got.KeySource, wantKey, test.source)
			}
		})
	}
}

// The command is run once, and the limit is 10 seconds.
func TestKeyCommandLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs, start := 0, time.Now()
		s := mustParse(t, `{"model": "openai", "vendors": {"openai": {"key_cmd": "sleep 99"}}}`)
		_, err := s.Resolve(t.Context(), Keys{Command: func(ctx context.Context, command string) (string, error) {
			runs++
			if command != "sleep 99" {
				t.Errorf("ran %q", command)
			}
			<-ctx.Done()
			return "", ctx.Err()
		}})
		wantUsage(t, err, "The command in vendors.openai.key_cmd ("+path+":1) did not finish within 10 seconds. Run it in a shell to see what it waits for.")
		if waited := time.Since(start); waited != 10*time.Second || runs != 1 {
			t.Errorf("%d runs, waited %s", runs, waited)
		}
	})
}

func TestKeyCommandCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := mustParse(t, `{"model": "openai", "vendors": {"openai": {"key_cmd": "c"}}}`)
	_, err := s.Resolve(ctx, Keys{Command: func(ctx context.Context, _ string) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}})
	if ikigai.KindOf(err) != ikigai.ErrorCancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestShellKeyCommand(t *testing.T) {
	run := ShellKeyCommand([]string{"PATH=" + os.Getenv("PATH"), "A=b c"})
	for _, test := range []struct{ name, command, want string }{
		{"shell", `printf '%s|' "$A" | cat; cat`, "b c|"}, // cat: there is no input to wait for
		{"a child holds the output", `echo x; sleep 600 &`, "x\n"},
	} {
		if got, err := run(t.Context(), test.command); err != nil || got != test.want {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
	if _, err := run(t.Context(), "echo x; exit 3"); err == nil {
		t.Error("a failed command is taken for a good one")
	}
	if got, err := run(t.Context(), "head -c 100000 /dev/zero"); err != nil || len(got) != 64<<10 {
		t.Errorf("%d bytes kept, %v", len(got), err)
	}
}

// The person reads why the command failed, and no key, not even one that it
// printed before.
func TestShellKeyCommandFails(t *testing.T) {
	for command, want := range map[string]string{
		"echo x; echo one >&2; printf 'pass: not in the store.\\n\\n' >&2; exit 3": "failed with exit code 3: pass: not in the store",
		"exit 127":     "failed with exit code 127",
		"kill -9 $$":   "was ended by a signal: killed",
		"nonesuch-cmd": "failed with exit code 127: ",
		"echo " + key + "; echo " + key + " sk-0123456789abcdefghij >&2; exit 1": "failed with exit code 1: [redacted] ",
		`printf '\033[31mred\033[m \302\233 %01000d' 0 >&2; exit 1`:              "failed with exit code 1: red ",
	} {
		s := mustParse(t, `{"model": "openai", "vendors": {"openai": {"key_cmd": "c"}}}`)
		_, err := s.Resolve(t.Context(), Keys{Command: func(ctx context.Context, _ string) (string, error) {
			return ShellKeyCommand([]string{"PATH=" + os.Getenv("PATH")})(ctx, command)
		}})
		what := "The command in vendors.openai.key_cmd (" + path + ":1) "
		got, ok := strings.CutPrefix(err.Error(), what)
		if !ok || !strings.HasPrefix(got, want) || !strings.HasSuffix(got, ". Run it in a shell to see why.") || ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("%s: %v", command, err)
		}
		if strings.Contains(got, key) || strings.Contains(got, "abcdef") || strings.ContainsAny(got, "\x1b\u009b\n") || len(got) > 280 { // P41
			t.Errorf("%s: %q", command, got)
		}
	}
}

// P21: a command that is stopped takes with it what it started. The pipe ends
// only when all who could write to it are gone.
func TestShellKeyCommandDiesWithItsGroup(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := ShellKeyCommand(os.Environ())(ctx, "(echo on; exec sleep 600) >'"+pipe+"' & wait")
		done <- err
	}()
	alive, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if _, err := io.ReadFull(alive, make([]byte, len("on\n"))); err != nil {
		t.Fatal(err)
	}
	cancel()
	if rest, err := io.ReadAll(alive); err != nil || len(rest) > 0 {
		t.Errorf("read %q, %v", rest, err)
	}
	if err := <-done; err == nil {
		t.Error("a stopped command is taken for a good one")
	}
}

func TestAddresses(t *testing.T) {
	for address, loopback := range map[string]bool{
		"http://localhost/v1": true, "http://LOCALHOST:1": true, "http://a.localhost": true, "http://127.8.8.8": true,
		"http://[::1]:8080/v1": true, "http://[::ffff:127.0.0.1]": true, "http://0.0.0.0:11434": true,
		"http://example.com": false, "http://localhost.example.com": false, "http://192.168.1.2:8080": false,
		"http://127.0.0.1.example.com": false, "http://[fe80::1]": false, "http://2130706433": false,
	} {
		_, err := mustParse(t, `{"model": "v/m", "vendors": {"v": {"base_url": "`+address+`"}}}`).Resolve(t.Context(), Keys{})
		if loopback && err != nil {
			t.Error(err)
		}
		if !loopback {
			wantUsage(t, err, path+`:1: vendors.v would send the conversation over plain http to another machine. `+
				`Use https, or add "insecure": true to vendors.v if you trust every machine on the way.`)
		}
		s := mustParse(t, `{"model": "v/m", "vendors": {"v": {"base_url": "`+address+`/", "insecure": true}}}`)
		if got, err := s.Resolve(t.Context(), Keys{}); err != nil || got.BaseURL != address {
			t.Errorf("%s, said to be insecure: %s, %v", address, got.BaseURL, err)
		}
	}
	_, err := mustParse(t, `{"model": "v/m", "vendors": {"v": {}}}`).Resolve(t.Context(), Keys{})
	wantUsage(t, err, path+`:1: vendors.v has no base_url. Add it, such as "base_url": "http://127.0.0.1:8080/v1".`)
	for _, address := range []string{"", "example.com", "ftp://x", "http://", "http://u:p@x", "http://x?a", "http://x#a", "http://a b", "http://%zz"} {
		if _, err := parseText(`{"vendors": {"v": {"base_url": "` + address + `"}}}`); err == nil {
			t.Errorf("the address %q is accepted", address)
		}
	}
}

// P41: neither what is shown nor a printed endpoint holds a secret.
func TestSecretsAreMasked(t *testing.T) {
	const file = `{"model": "v/m", "vendors": {"v": {"base_url": "https://x/sk-0123456789abcdefghij", "key_cmd": "echo 0123456789abcdefghij | tr -d x",
		"organization": "sk-0123456789abcdefghij", "headers": {"Authorization": "Bearer 0123456789abcdefghij", "X-Odd": "0123456789"}}}}`
	s := mustParse(t, file)
	shown := s.Show()
	if text := fmt.Sprint(shown); strings.Contains(text, "0123456789") {
		t.Errorf("a secret is shown: %s", text)
	}
	if i := slices.IndexFunc(shown, func(e Entry) bool { return e.Key == "vendors.v.key_cmd" }); shown[i].Value != "echo [redacted] | tr -d x" {
		t.Errorf("the command is shown as %q", shown[i].Value)
	}
	got, err := s.Resolve(t.Context(), Keys{Command: func(context.Context, string) (string, error) { return key, nil }})
	if err != nil {
		t.Fatal(err)
	}
	withKey := mustParse(t, `{}`, "OPENAI_API_KEY="+key)
	if text := fmt.Sprintf("%v %+v %#v", withKey, *withKey, *withKey); strings.Contains(text, key) {
		t.Errorf("settings are printed as %s", text)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(encoded), fmt.Sprintf("%v %+v %#v %s %q %x", got, got, got, &got, got, got)} {
		if strings.Contains(text, key) || strings.Contains(text, "Bearer") || !strings.Contains(text, "v/m") {
			t.Errorf("an endpoint is printed as %s", text)
		}
	}
}

// P41: what children's environments are rid of.
func TestVendorKeyVariables(t *testing.T) {
	s := mustParse(t, `{"vendors": {"openai": {"key_env": "MY_KEY"}, "v": {"key_env": "V_KEY W_KEY"}, "w": {}}}`)
	want := []string{"ANTHROPIC_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_API_KEY", "CEREBRAS_API_KEY", "DEEPSEEK_API_KEY",
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY", "LLAMA_API_KEY", "MISTRAL_API_KEY", "MY_KEY", "OPENAI_API_KEY",
		"OPENROUTER_API_KEY", "V_KEY", "W_KEY", "XAI_API_KEY", "ZAI_API_KEY"}
	if diff := cmp.Diff(want, s.VendorKeyVariables()); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
}

// unrecorded are the presets of which there is no recording, and what shows that
// they are right.
var unrecorded = map[string]string{
	"meta":          "Meta's page on compatibility with OpenAI's API",
	"bedrock":       "the Amazon Bedrock User Guide, \"Messages API\"",
	"bedrock-open":  "recordings of the same model over Responses, at the same address",
	"vertex-claude": "recordings of the same address in a region",
	"ollama":        "recordings of localhost",
	"llamacpp":      "its README",
	"vllm":          "recordings of localhost",
	"lmstudio":      "its documentation",
}

// Each preset's address and default model answered when they were recorded.
func TestPresetsAgainstRecordings(t *testing.T) { // S2.79
	dir := os.Getenv("IKIGAI_FIXTURES")
	if dir == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("IKIGAI_FIXTURES is not set")
		}
		t.Skip("IKIGAI_FIXTURES is not set")
	}
	unseen := make(map[string]*regexp.Regexp)
	for _, p := range presets {
		if unrecorded[p.name] == "" {
			unseen[p.name] = requestsTo(p.vendor)
		}
	}
	for file := range recordings(t, dir) {
		var recording struct {
			Interactions []struct {
				Provider, Model string
				Request         struct{ URL string }
				Response        struct{ Status int }
			}
		}
		if err := json.Unmarshal([]byte(readText(t, file)), &recording); err != nil {
			t.Fatal(err)
		}
		for _, i := range recording.Interactions {
			if at := unseen[i.Provider]; i.Response.Status == 200 && at != nil && at.MatchString(i.Request.URL+" "+i.Model) {
				delete(unseen, i.Provider)
			}
		}
	}
	if !providertest.Known(t) {
		t.Logf("not applicable: no recording of %d presets", len(unseen))
		return
	}
	for name, at := range unseen {
		t.Errorf("%s: never recorded: %s", name, at)
	}
}

// requestsTo returns what the address and the model of a recorded request match
// when it went to v.
func requestsTo(v Vendor) *regexp.Regexp {
	path := map[string]string{APIChat: "/chat/completions", APIResponses: "/responses", APIAnthropic: "/messages",
		APIGemini: "/models/" + v.Model + ":(streamGenerateContent|generateContent)"}[v.API]
	base := regexp.QuoteMeta(v.BaseURL)
	base = regexp.MustCompile(`^\\\{[A-Z_|]+\\\}`).ReplaceAllString(base, `https://[^/]+`)
	base = regexp.MustCompile(`\\\{[A-Z_|\\]+\\\}`).ReplaceAllString(base, `[^/]+`)
	model := regexp.QuoteMeta(v.Model)
	if model == "" {
		model = ".+"
	}
	return regexp.MustCompile("^" + base + path + `(\?\S*)? ` + model + "$")
}

// recordings returns the files of recorded answers from the presets' vendors.
func recordings(t *testing.T, dir string) map[string]bool {
	index, err := os.Open(filepath.Join(dir, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	files := make(map[string]bool)
	lines := bufio.NewScanner(index)
	for lines.Scan() {
		var entry struct{ Section, File, Provider, API, Model string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatal(err)
		}
		for _, p := range presets {
			if entry.Section == "http" && entry.Provider == p.name && (entry.Model == p.vendor.Model || p.vendor.Model == "") {
				files[filepath.Join(dir, entry.File)] = true
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return files
}
