package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

func newLogin(t *testing.T) (v *vendor, p *place, file string) {
	v, p = newVendor(t), newPlace(t, idle)
	v.configure(p, `{"model": "v/m", "vendors": {"v": {"base_url": "{URL}/v1", "key_env": "V_KEY"}}}`)
	return v, p, filepath.Join(p.root, "home", ".config", "ikigai", "keys.json")
}

// P41: a key is stored where only the person can read it, is used from there, and
// is shown nowhere.
func TestLogin(t *testing.T) {
	t.Parallel()
	v, p, file := newLogin(t)
	login := p.with(nil, " "+goodKey+"\n", exitAnswered, "login", "v", "--file")
	login.err.awaitText(t, "The key of v is stored in "+file+".")
	if v.lists != 1 {
		t.Errorf("the key was tried %d times", v.lists)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info, err)
	}
	run := p.run(exitAnswered, "run", "hi")
	if r, _ := v.last(); run.out.String() != "Hello.\n" || r.Header.Get("Authorization") != "Bearer "+goodKey {
		t.Errorf("the answer is %q to a request with %v", run.out, r.Header)
	}
	for _, args := range [][]string{{"login"}, {"log", "--json"}, {"log", "--request", "5"}, {"config", "show", "--origin"}, {"doctor"}, {"export", "--last"}} {
		c := p.start(args...)
		within(t, c.ended, "end of "+args[0])
		if shown := c.out.String() + c.err.String(); strings.Contains(shown, goodKey) {
			t.Errorf("%s shows the key: %s", args, shown)
		}
	}
	p.run(exitAnswered, "doctor").out.awaitText(t, "v/m at "+v.URL+"/v1, chat, key from "+file)
	p.run(exitAnswered, "login").out.awaitText(t, file)
	if strings.Contains(login.err.String()+login.out.String(), goodKey) {
		t.Errorf("the key is shown: %s%s", login.err, login.out)
	}

	p.run(exitAnswered, "logout", "v").err.awaitText(t, "The key of v is removed from "+file+".")
	p.run(exitUsage, "logout", "v").err.awaitText(t, "No key of v is stored")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	p.run(exitVendor, "run", "hi").err.awaitText(t, "v wants a key")
}

// A key that the vendor refuses is not stored; one that cannot be tried is.
func TestLoginTriesTheKey(t *testing.T) {
	t.Parallel()
	v, p, file := newLogin(t)
	refused := p.with(nil, "bad-0123456789-key", exitVendor, "login", "v", "--file")
	refused.err.awaitText(t, "v refuses the key")
	if strings.Contains(refused.err.String(), "bad-0123456789") { // P41
		t.Errorf("the key is shown: %s", refused.err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that is refused is stored: %v", err)
	}
	v.status = 404
	untried := p.with(nil, goodKey, exitAnswered, "login", "v", "--file")
	untried.err.awaitText(t, "The key could not be tried.")
	untried.err.awaitText(t, "is stored in "+file)
	for input, want := range map[string]string{
		"":                      "The input gave nothing",
		goodKey + "\n" + "more": "The input gave more than one line",
		"“" + goodKey + "”":     "The input holds characters that no key has",
	} {
		p.with(nil, input, exitUsage, "login", "v", "--file").err.awaitText(t, want)
	}
}

// A vendor that lists its models to anybody is asked for what belongs to the key.
func TestLoginWhereModelsArePublic(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		switch {
		case r.URL.Path == "/api/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "m"}]}`)
		case r.URL.Path == "/api/v1/key" && r.Header.Get("Authorization") == "Bearer "+goodKey:
			fmt.Fprint(w, `{"data": {"label": "sk-or-v1-0e6...1c9", "usage": 0}}`)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error": {"message": "User not found.", "code": 401}}`)
		}
	}))
	t.Cleanup(server.Close)
	p := newPlace(t, idle)
	(&vendor{t: t, URL: server.URL}).configure(p, `{"model": "openrouter/m", "vendors": {"openrouter": {"base_url": "{URL}/api/v1"}}}`)
	file := filepath.Join(p.root, "home", ".config", "ikigai", "keys.json")

	p.with(nil, "bad-0123456789-key", exitVendor, "login", "openrouter", "--file").err.awaitText(t, "openrouter refuses the key")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key that is refused is stored: %v", err)
	}
	login := p.with(nil, goodKey, exitAnswered, "login", "openrouter", "--file")
	login.err.awaitText(t, "The key of openrouter is stored in "+file)
	if strings.Contains(login.err.String(), "could not be tried") {
		t.Errorf("said is %s", login.err)
	}
	for range 2 {
		if path := <-asked; path != "/api/v1/key" {
			t.Errorf("asked for %s", path)
		}
	}
}

// Where there is no keyring, that is said before a key is asked for, with what
// else can be done.
func TestLoginWithoutKeyring(t *testing.T) {
	t.Parallel()
	_, p, file := newLogin(t)
	p.with(nil, goodKey, exitUsage, "login", "v").err.awaitText(t,
		"There is no keyring here to store the key in. Run `ikigai login v --file` to keep it in "+file+", as plain text that only you can read, or export V_KEY.")
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is stored all the same: %v", err)
	}
}

// What comes before a stored key is told of, and who takes none.
func TestLoginOtherKeys(t *testing.T) {
	t.Parallel()
	v, p, _ := newLogin(t)
	p.with([]string{"V_KEY=" + goodKey}, goodKey, exitAnswered, "login", "v", "--file").err.awaitText(t, "The key that is used comes from V_KEY, before any that is stored.")
	list := p.with([]string{"OPENAI_API_KEY=x", "V_KEY=x"}, "", exitAnswered, "login").out
	for _, want := range []string{"openai         OPENAI_API_KEY", "v              V_KEY", "ollama         none needed", "vertex         none: credentials of Google", "groq           none\n"} {
		list.awaitText(t, want)
	}
	p.run(exitUsage, "login", "opnai").err.awaitText(t, `No vendor is called "opnai". Perhaps openai is meant`)
	p.run(exitUsage, "login", "ollama").err.awaitText(t, "The settings of ollama say that it has no key")
	p.run(exitUsage, "run", "--model", "groq", "hi").err.awaitText(t,
		"There is no key for groq: the variable GROQ_API_KEY is empty. Export GROQ_API_KEY, store a key with `ikigai login groq`, or set vendors.groq.key_cmd")
	p.run(exitAnswered, "__complete", "login", "").out.awaitText(t, "groq\n")

	// P41: nobody else may read the file.
	file := filepath.Join(p.root, "home", ".config", "ikigai", "keys.json")
	must(t, os.Chmod(file, 0o644))
	p.run(exitUsage, "run", "hi").err.awaitText(t, "Whether there is a key for v cannot be seen: others than you can read "+file)
	v.configure(p, `{"model": "groq"}`)
	p.run(exitUsage, "run", "hi").err.awaitText(t, "stored keys cannot be read: others than you can read "+file)
}

// P41: at a terminal the key is asked for and not shown.
func TestLoginAtATerminal(t *testing.T) {
	t.Parallel()
	_, p, file := newLogin(t)
	for typed, want := range map[string]string{goodKey + "\r": "is stored in " + file, "\x03": "No key was given."} {
		cmd := p.command("login", "v", "--file")
		terminal, err := pty.Start(cmd)
		must(t, err)
		defer terminal.Close()
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless something failed
		shown := newOutput()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.Copy(shown, terminal) // ends with an error, as terminals do
			_ = cmd.Wait()
		}()
		shown.awaitText(t, "Key of v (it is not shown): ")
		_, err = terminal.WriteString(typed)
		must(t, err)
		shown.awaitText(t, want)
		within(t, done, "the end of the program")
		if strings.Contains(shown.String(), goodKey) {
			t.Errorf("the key is shown: %s", shown)
		}
	}
}
