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

// P41: what goes wrong is told with what to do, without any of the key.
func TestFaults(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": "invalid_grant", "error_description": "Invalid JWT."}`)
	}))
	defer server.Close()
	for name, test := range map[string]struct {
		prepare func()
		want    string
	}{
		"refused": {func() { serviceAccount(t, server.URL) }, "Google gave no token: invalid_grant Invalid JWT. "},
		"no file": {func() { t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/account.json") }, "There are no Google credentials. "},
	} {
		test.prepare()
		err := New(server.Client()).Authorize(t.Context(), httptest.NewRequest(http.MethodPost, "http://h/", nil), nil)
		if ikigai.KindOf(err) != ikigai.ErrorAuth || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
