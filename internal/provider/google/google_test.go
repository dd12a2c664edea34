package google

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
)

// serviceAccount writes the file of a service account whose tokens come from
// tokenURI, and has it be the default.
func serviceAccount(t *testing.T, tokenURI string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(map[string]string{
		"type": "service_account", "client_email": "me@example.com", "private_key_id": "1", "token_uri": tokenURI,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
}

// A service account's file makes a token, once for many requests.
func TestAuthorize(t *testing.T) { // S2.79
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		parts := strings.Split(r.PostFormValue("assertion"), ".")
		claims, _ := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
		if !strings.Contains(string(claims), `"iss":"me@example.com"`) || !strings.Contains(string(claims), scope) {
			t.Errorf("claims are %s", claims)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token": "the-token", "token_type": "Bearer", "expires_in": 3600}`)
	}))
	defer server.Close()
	serviceAccount(t, server.URL)
	tokens := New(server.Client())
	if asked.Load() != 0 {
		t.Error("asked before there is a request")
	}
	for range 3 {
		r := httptest.NewRequest(http.MethodPost, "http://h/", nil)
		if err := tokens.Authorize(t.Context(), r, nil); err != nil {
			t.Fatal(err)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer the-token" {
			t.Errorf("authorization is %q", got)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// P41: what goes wrong is told with what to do, without any of the key; what may
// go well the next time is tried again.
func TestFaults(t *testing.T) {
	type reply struct {
		status int
		body   string
	}
	var next atomic.Pointer[reply] // a connection that is lost does not tell when it was read
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r := next.Load()
		if r.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.status)
		fmt.Fprint(w, r.body)
	}))
	defer server.Close()
	account := func() { serviceAccount(t, server.URL) }
	const noToken = "Google gave no token: "
	for name, test := range map[string]struct {
		prepare func()
		status  int // 0 is a connection that is lost
		body    string
		kind    ikigai.ErrorKind
		want    string
	}{
		"refused":  {account, 400, `{"error": "invalid_grant", "error_description": "Invalid JWT."}`, ikigai.ErrorAuth, noToken + "invalid_grant Invalid JWT. Run "},
		"unclean":  {account, 401, `{"error": "a\u001b[31m\nb", "error_description": "` + strings.Repeat("so it is ", 90) + `"}`, ikigai.ErrorAuth, noToken + "a [31m b so it is"},
		"a page":   {account, 502, `<html>`, ikigai.ErrorNetwork, noToken + "502 Bad Gateway. Check the network"},
		"too many": {account, 429, `{"error": "rate"}`, ikigai.ErrorNetwork, noToken + "rate. Check the network"},
		"lost":     {account, 0, ``, ikigai.ErrorNetwork, noToken + "Post \"" + server.URL + "\": EOF. Check the network"},
		"no JSON":  {account, 200, `<html>`, ikigai.ErrorNetwork, noToken + "invalid character '<' looking for beginning of value. Check the network"},
		"no file":  {func() { t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/account.json") }, 200, ``, ikigai.ErrorAuth, "There are no Google credentials. "},
		"no key": {func() {
			account()
			path := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
			raw, _ := os.ReadFile(path)
			os.WriteFile(path, []byte(strings.Replace(string(raw), "PRIVATE KEY-----", "", 2)), 0o600)
		}, 200, ``, ikigai.ErrorAuth, noToken + "private key should be"},
	} {
		test.prepare()
		next.Store(&reply{test.status, test.body})
		err := New(server.Client()).Authorize(t.Context(), httptest.NewRequest(http.MethodPost, "http://h/", nil), nil)
		if err == nil || ikigai.KindOf(err) != test.kind || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "PRIVATE") || len(err.Error()) > 700 {
			t.Errorf("%s: %s: %v", name, ikigai.KindOf(err), err)
		}
	}
}

// A server of tokens that does not answer is waited for as long as was said, and
// nothing is left behind that waits on.
func TestHangs(t *testing.T) {
	serviceAccount(t, "http://tokens.test/")
	synctest.Test(t, func(t *testing.T) {
		tokens := New(&http.Client{Transport: hanging{}})
		start := time.Now()
		for n := range 3 {
			err := tokens.Authorize(t.Context(), httptest.NewRequest(http.MethodPost, "http://h/", nil), nil)
			if ikigai.KindOf(err) != ikigai.ErrorNetwork || time.Since(start) != time.Duration(n+1)*limit {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		}
	}) // which fails where a goroutine never ends
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
