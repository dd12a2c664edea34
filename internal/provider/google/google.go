// Package google gives requests to Vertex AI a token, made of Google's
// application default credentials: those of `gcloud auth application-default
// login`, of a service account, or of the machine.
package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/provider"
)

// scope is what a token is good for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// limit bounds the wait for a token.
const limit = 30 * time.Second

// Tokens gives requests tokens. It may be used by several goroutines.
type Tokens struct {
	client *http.Client

	mutex  sync.Mutex
	source oauth2.TokenSource // nil until the credentials are found
}

// New returns Tokens that are fetched with client, in a limited time. It does no
// I/O: credentials are looked for with the first request.
func New(client *http.Client) *Tokens {
	limited := *client
	limited.Timeout = limit
	return &Tokens{client: &limited}
}

// Authorize gives r a token, as provider.Config.Authorize. The error is an
// *ikigai.Error of kind auth, or network where trying again can help.
func (t *Tokens) Authorize(ctx context.Context, r *http.Request, _ provider.Body) error {
	token, err := t.token(ctx)
	if err != nil {
		return err
	}
	token.SetAuthHeader(r)
	return nil
}

// token returns a token that has not run out. A library that does not answer in
// time is left behind.
func (t *Tokens) token(ctx context.Context) (*oauth2.Token, error) {
	type result struct {
		token *oauth2.Token
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer crash.Guard()
		token, err := t.fetch()
		done <- result{token, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, hiccup("Google gave no token within 30 seconds", nil)
	}
}

// fetch looks for credentials once, and then for a token whenever the last one
// has run out.
func (t *Tokens) fetch() (*oauth2.Token, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.source == nil {
		// The source lives longer than the request that makes it.
		ctx := context.WithValue(context.Background(), oauth2.HTTPClient, t.client)
		credentials, err := google.FindDefaultCredentials(ctx, scope)
		if err != nil {
			return nil, fault("There are no Google credentials", "Run `gcloud auth application-default login`, or export GOOGLE_APPLICATION_CREDENTIALS with the path of a service account's file", err)
		}
		t.source = credentials.TokenSource
	}
	token, err := t.source.Token()
	if err == nil {
		return token, nil
	}
	if isFinal(err) {
		return nil, fault("Google gave no token"+reason(err), "Run `gcloud auth application-default login` again, or check the service account", err)
	}
	return nil, hiccup("Google gave no token"+reason(err), err)
}

// isFinal reports whether another attempt would fail as well: Google refuses the
// credentials, or they cannot be used. What else goes wrong does so on the way.
func isFinal(err error) bool {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return strings.Contains(err.Error(), "private key")
	}
	status := refused.Response.StatusCode
	return status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout
}

// reason continues a sentence with what Google says, or what happened on the way;
// neither holds a secret.
func reason(err error) string {
	said := strings.TrimPrefix(err.Error(), "oauth2: cannot fetch token: ")
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		var told struct {
			Code        string `json:"error"`
			Description string `json:"error_description"`
		}
		_ = json.Unmarshal(refused.Body, &told) // which may be a page
		said = cmp.Or(strings.TrimSpace(told.Code+" "+told.Description), refused.Response.Status)
	}
	return ": " + strings.TrimRight(provider.Words(said), ". ")
}

func fault(what, do string, cause error) error {
	return &ikigai.Error{Kind: ikigai.ErrorAuth, What: what, Do: do, Err: cause}
}

// hiccup is a fault that may be gone at the next attempt.
func hiccup(what string, cause error) error {
	return &ikigai.Error{Kind: ikigai.ErrorNetwork, What: what, Do: "Check the network, and `gcloud auth application-default print-access-token`", Err: cause}
}
