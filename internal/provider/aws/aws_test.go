package aws

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/provider"
)

// The keys and the time of the examples that AWS publishes.
const (
	exampleID     = "AKIDEXAMPLE"
	exampleSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

var exampleTime = time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)

// signature computes what AWS describes: the signature of a request as it
// arrived, over the headers that it names as signed.
func signature(r *http.Request, body []byte, secret, scope, signed string) string {
	query := strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")
	path := r.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	canonical := r.Method + "\n" + path + "\n" + query + "\n"
	for name := range strings.SplitSeq(signed, ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = fmt.Sprint(r.ContentLength)
		}
		canonical += name + ":" + strings.TrimSpace(value) + "\n"
	}
	canonical += "\n" + signed + "\n" + hash(body)
	text := "AWS4-HMAC-SHA256\n" + r.Header.Get("X-Amz-Date") + "\n" + scope + "\n" + hash([]byte(canonical))
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = sum(key, part)
	}
	return hex.EncodeToString(sum(key, text))
}

func hash(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

func sum(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// The test's own computation gives the signature that AWS publishes for its
// example get-vanilla.
func TestSignatureOfTheExample(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "http://example.amazonaws.com/", nil)
	r.Header.Set("X-Amz-Date", exampleTime.Format("20060102T150405Z"))
	got := signature(r, nil, exampleSecret, "20150830/us-east-1/service/aws4_request", "host;x-amz-date")
	if want := "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func getenv(environ map[string]string) func(string) string {
	return func(name string) string { return environ[name] }
}

// A server that computes the signature again finds the same, over the body and
// all headers that matter.
func TestAuthorize(t *testing.T) { // S2.79
	arrived := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		arrived <- r
	}))
	defer server.Close()
	s := New(Options{Now: func() time.Time { return exampleTime }, Getenv: getenv(map[string]string{
		"AWS_ACCESS_KEY_ID": exampleID, "AWS_SECRET_ACCESS_KEY": exampleSecret, "AWS_SESSION_TOKEN": "token", "AWS_REGION": "eu-west-1"})})
	body := provider.Body{[]byte(`{"a":`), []byte(`"ü"}`)}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/model/a%3A0/x?b=2&a=1", body.Reader())
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = body.Size()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	if err := s.Authorize(t.Context(), r, body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := <-arrived
	content, _ := io.ReadAll(got.Body)
	authorization := got.Header.Get("Authorization")
	signed, sig := signedIn(authorization)
	for _, name := range []string{"host", "content-type", "anthropic-version", "x-amz-date", "x-amz-security-token"} {
		if !slices.Contains(strings.Split(signed, ";"), name) {
			t.Errorf("%s is not signed", name)
		}
	}
	scope := "20150830/eu-west-1/bedrock/aws4_request"
	if !strings.HasPrefix(authorization, "AWS4-HMAC-SHA256 Credential="+exampleID+"/"+scope+", ") {
		t.Errorf("authorization is %s", authorization)
	}
	// The path of a signature is escaped once more than that of the request.
	got.URL.Path, got.URL.RawPath = got.URL.EscapedPath(), ""
	if want := signature(got, content, exampleSecret, scope, signed); sig != want {
		t.Errorf("signature is %s, want %s", sig, want)
	}
}

// signedIn returns the names of the headers that are signed, and the signature.
func signedIn(authorization string) (names, sig string) {
	_, names, _ = strings.Cut(authorization, "SignedHeaders=")
	names, sig, _ = strings.Cut(names, ", Signature=")
	return names, sig
}

// What is signed is what is sent, of the request for a list as well, page by
// page.
func TestListIsSigned(t *testing.T) { // S2.79
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		body, _ := io.ReadAll(r.Body)
		signed, sig := signedIn(r.Header.Get("Authorization"))
		if want := signature(r, body, exampleSecret, "20150830/eu-west-1/bedrock/aws4_request", signed); sig != want {
			t.Errorf("%s %s: signature over %s is %s, want %s", r.Method, r.URL, signed, sig, want)
		}
		if r.URL.RawQuery == "" {
			fmt.Fprint(w, `{"data":[{"id":"b"}],"has_more":true,"last_id":"b"}`)
		} else {
			fmt.Fprint(w, `{"data":[{"id":"a"}]}`)
		}
	}))
	defer server.Close()
	s := New(Options{Now: func() time.Time { return exampleTime }, Getenv: getenv(map[string]string{
		"AWS_ACCESS_KEY_ID": exampleID, "AWS_SECRET_ACCESS_KEY": exampleSecret, "AWS_REGION": "eu-west-1"})})
	list, err := provider.List(t.Context(), provider.Config{Name: "bedrock/m", BaseURL: server.URL + "/v1", Authorize: s.Authorize})
	if err != nil || len(list) != 2 || asked != 2 {
		t.Errorf("%v after %d requests: %v", list, asked, err)
	}
}

func TestScope(t *testing.T) {
	for host, want := range map[string]string{
		"bedrock-mantle.us-east-1.api.aws":            "bedrock-mantle us-east-1",
		"bedrock-runtime.eu-west-1.amazonaws.com":     "bedrock eu-west-1",
		"bedrock-runtime.cn-north-1.amazonaws.com.cn": "bedrock cn-north-1",
		"gateway.example.com":                         "bedrock set-2",
		"127.0.0.1":                                   "bedrock set-2",
	} {
		s := New(Options{Getenv: getenv(map[string]string{"AWS_DEFAULT_REGION": "set-2"})})
		if service, region := s.scope(host); service+" "+region != want {
			t.Errorf("%s: %s %s, want %s", host, service, region, want)
		}
	}
}

// Credentials come from where the AWS tools have them, the nearest place first.
func TestCredentials(t *testing.T) {
	const static = "aws_access_key_id = %[1]s-id\n  aws_secret_access_key=%[1]s-secret\n"
	home := t.TempDir()
	write(t, filepath.Join(home, ".aws/credentials"), "# mine\n[default]\n"+fmt.Sprintf(static, "file")+"[work]\n"+fmt.Sprintf(static, "work")+"aws_session_token = t\n")
	write(t, filepath.Join(home, ".aws/config"), "[default]\nregion = x\n[profile made]\ncredential_process = /bin/make it\n"+
		"[work]\naws_access_key_id = wrong\n[profile role]\nrole_arn = arn\nsource_profile = work\n"+fmt.Sprintf(static, "role"))
	printed := `{"Version": 1, "AccessKeyId": "run-id", "SecretAccessKey": "run-secret", "SessionToken": "s", "Expiration": "2030-01-01T00:00:00Z"}`
	for name, test := range map[string]struct {
		environ map[string]string
		want    string
	}{
		"environment":         {map[string]string{"AWS_ACCESS_KEY_ID": "env-id", "AWS_SECRET_ACCESS_KEY": "env-secret"}, "env-id env-secret "},
		"default profile":     {nil, "file-id file-secret "},
		"half an environment": {map[string]string{"AWS_ACCESS_KEY_ID": "env-id"}, "file-id file-secret "},
		"named profile":       {map[string]string{"AWS_PROFILE": "work", "AWS_ACCESS_KEY_ID": "env-id", "AWS_SECRET_ACCESS_KEY": "x"}, "work-id work-secret t"},
		"process":             {map[string]string{"AWS_PROFILE": "made"}, "run-id run-secret s /bin/make it"},
		"role":                {map[string]string{"AWS_PROFILE": "role"}, "run-id run-secret s aws configure export-credentials --format process --profile 'role'"},
		"files elsewhere":     {map[string]string{"AWS_SHARED_CREDENTIALS_FILE": os.DevNull, "AWS_CONFIG_FILE": os.DevNull}, "run-id run-secret s aws configure export-credentials --format process"},
	} {
		ran := ""
		s := New(Options{Getenv: getenv(test.environ), Home: home, Run: func(_ context.Context, command string) (string, error) {
			ran = " " + command
			return printed, nil
		}})
		c, err := s.retrieve(t.Context())
		if got := c.AccessKeyID + " " + c.SecretAccessKey + " " + c.SessionToken + ran; err != nil || got != test.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, test.want)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Credentials are looked for once, and again shortly before they run out.
func TestCredentialsRunOut(t *testing.T) {
	now, runs := exampleTime, 0
	s := New(Options{Getenv: getenv(nil), Now: func() time.Time { return now }, Run: func(context.Context, string) (string, error) {
		runs++
		return fmt.Sprintf(`{"AccessKeyId": "a", "SecretAccessKey": "b", "Expiration": %q}`, now.Add(time.Hour).Format(time.RFC3339)), nil
	}})
	for _, after := range []time.Duration{0, 58 * time.Minute, 90 * time.Second, 0} {
		now = now.Add(after)
		if _, err := s.retrieve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 2 {
		t.Errorf("looked for %d times", runs)
	}
}

// P41: an error says what to do, and repeats nothing of what was printed.
func TestNoCredentials(t *testing.T) {
	for name, run := range map[string]func(context.Context, string) (string, error){
		"AWS_BEARER_TOKEN_BEDROCK": func(ctx context.Context, _ string) (string, error) {
			return "", exec.CommandContext(ctx, "/bin/sh", "-c", "exit 127").Run()
		},
		"aws configure": func(context.Context, string) (string, error) { return exampleSecret, errors.New(exampleSecret) },
		"prints JSON": func(context.Context, string) (string, error) {
			return `{"SecretAccessKey": "` + exampleSecret + `"}`, nil
		},
	} {
		err := New(Options{Getenv: getenv(nil), Run: run}).Authorize(t.Context(), httptest.NewRequest(http.MethodPost, "http://h/", nil), nil)
		if ikigai.KindOf(err) != ikigai.ErrorAuth || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), exampleSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := New(Options{Getenv: getenv(map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"})})
	err := s.Authorize(t.Context(), httptest.NewRequest(http.MethodPost, "http://gateway.example.com/", nil), nil)
	if err == nil || !strings.Contains(err.Error(), "Export AWS_REGION") {
		t.Errorf("without a region: %v", err)
	}
}
