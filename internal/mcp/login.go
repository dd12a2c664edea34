package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"ikigai"
)

// Keys keeps what logins gave, under names: text that nobody else may see.
type Keys interface {
	Get(ctx context.Context, name string) (string, error) // "" if there is none
	Set(ctx context.Context, name, value string) error
}

// KeyName returns the name under which the login at an address is kept. It does
// not depend on the name that settings give the server: whoever sets up another
// address under a known name gets nothing.
func KeyName(address string) string { return "mcp " + address }

const keyTime = 10 * time.Second // for a keyring, which may ask the person

// loginError says that a server demands a login.
type loginError struct{ why string }

func (e *loginError) Error() string { return "it demands a login" + e.why }

// grant is what a login gave, and what it takes to renew it.
type grant struct {
	ClientID     string        `json:"client_id"`
	ClientSecret string        `json:"client_secret,omitempty"`
	TokenURL     string        `json:"token_url"`
	AuthStyle    int           `json:"auth_style,omitempty"`
	Scopes       []string      `json:"scopes,omitempty"`
	Token        *oauth2.Token `json:"token"`
}

func (g *grant) config() *oauth2.Config {
	return &oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: oauth2.AuthStyle(g.AuthStyle)}}
}

// wallet is the grant of one server. It renews its token, and keeps the new one.
type wallet struct {
	link   *link
	client *http.Client

	mu     sync.Mutex
	loaded bool
	grant  *grant // nil if there is none
	source oauth2.TokenSource
}

// load takes the grant from where it is kept, once.
func (w *wallet) load(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.loaded {
		return nil
	}
	g, err := w.kept(ctx)
	if err != nil {
		return fmt.Errorf("the login at it cannot be read: %w", err)
	}
	w.loaded = true
	if g != nil {
		w.hold(g)
	}
	return nil
}

// kept returns the grant that is kept, nil if there is none.
func (w *wallet) kept(ctx context.Context) (*grant, error) {
	if w.link.cfg.Keys == nil {
		return nil, nil
	}
	text, err := w.link.cfg.Keys.Get(ctx, KeyName(w.link.server.URL))
	var g grant
	if err != nil || text == "" || json.Unmarshal([]byte(text), &g) != nil || g.Token == nil {
		return nil, err
	}
	return &g, nil
}

// adopt takes over the grant that another process has kept since, and reports
// whether there is one: where a refresh token is good for once, theirs is the
// one that is left.
func (w *wallet) adopt() bool {
	ctx, cancel := context.WithTimeout(context.Background(), keyTime)
	defer cancel()
	g, err := w.kept(ctx)
	if err != nil || g == nil || w.grant != nil && g.Token.AccessToken == w.grant.Token.AccessToken {
		return false
	}
	w.hold(g)
	return true
}

// hold makes g the grant in use.
func (w *wallet) hold(g *grant) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, w.client)
	w.grant, w.source = g, g.config().TokenSource(ctx, g.Token)
}

// Token implements oauth2.TokenSource.
func (w *wallet) Token() (*oauth2.Token, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.source == nil {
		return nil, &loginError{}
	}
	token, err := w.source.Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && w.adopt() {
		token, err = w.source.Token()
	}
	if errors.As(err, &refused) {
		return nil, &loginError{": the last one has ended"}
	}
	if err != nil {
		return nil, err
	}
	if token.AccessToken != w.grant.Token.AccessToken {
		w.grant.Token = token
		w.keep()
	}
	return token, nil
}

// keep keeps the grant for later. It works without that until the program ends.
func (w *wallet) keep() {
	text, err := json.Marshal(w.grant)
	if err == nil && w.link.cfg.Keys != nil {
		ctx, cancel := context.WithTimeout(context.Background(), keyTime)
		defer cancel()
		err = w.link.cfg.Keys.Set(ctx, KeyName(w.link.server.URL), string(text))
	}
	if err != nil {
		w.link.cfg.Notice(fmt.Sprintf("The login at the MCP server %s could not be kept: %s.", w.link.name, w.link.plain(err)))
	}
}

// expire has another token used from now on. It reports whether that is possible.
func (w *wallet) expire() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.adopt() {
		return true
	}
	if w.grant == nil || w.grant.Token.RefreshToken == "" {
		return false
	}
	g, token := *w.grant, *w.grant.Token
	token.Expiry = time.Unix(1, 0)
	g.Token = &token
	w.hold(&g)
	return true
}

// bearer authorizes requests with the grant of an earlier login. It implements
// auth.OAuthHandler.
type bearer struct{ *wallet }

// TokenSource implements auth.OAuthHandler.
func (b bearer) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	if err := b.load(ctx); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.source == nil {
		return nil, nil
	}
	return b.wallet, nil
}

// Authorize implements auth.OAuthHandler: a token that is refused is renewed, and
// where that is not possible a person must log in.
func (b bearer) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close() // nothing of it is needed
	if resp.StatusCode == http.StatusUnauthorized && b.expire() {
		return nil
	}
	if resp.StatusCode == http.StatusForbidden {
		return &loginError{" that allows more"}
	}
	return &loginError{}
}

// authorizer returns what authorizes requests to a server, and what ends it. A
// server with a header of its own for that needs nothing else.
func (l *link) authorizer(client *http.Client) (auth.OAuthHandler, func(), error) {
	for name := range l.server.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return nil, func() {}, nil
		}
	}
	w := &wallet{link: l, client: client}
	if l.cfg.Browse == nil {
		return bearer{w}, func() {}, nil
	}
	back, err := openWayBack()
	if err != nil {
		return nil, nil, err
	}
	handler, err := l.interactive(w, client, back)
	if err != nil {
		back.close()
		return nil, nil, err
	}
	return handler, back.close, nil
}

// interactive returns what has a person log in when the server demands it.
func (l *link) interactive(w *wallet, client *http.Client, back *wayBack) (auth.OAuthHandler, error) {
	cfg := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: back.address, Client: client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "ikigai", RedirectURIs: []string{back.address}, GrantTypes: []string{"authorization_code", "refresh_token"},
			ResponseTypes: []string{"code"},
		}},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			return back.fetch(ctx, args.URL, l.cfg.Browse)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.hold(&grant{ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL,
				AuthStyle: int(c.Endpoint.AuthStyle), Scopes: c.Scopes, Token: t})
			w.keep()
			return w, nil
		},
	}
	if known := l.server.OAuth; known.ClientID != "" {
		cfg.PreregisteredClient = &oauthex.ClientCredentials{ClientID: known.ClientID}
		if known.ClientSecret != "" {
			cfg.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: known.ClientSecret}
		}
	}
	if document := l.server.OAuth.Metadata; document != "" {
		cfg.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: document}
	}
	return auth.NewAuthorizationCodeHandler(cfg)
}

// Login connects to one server over HTTP and has the person log in at it, if it
// demands that; c needs Browse and Keys. It returns whether it did. The error is
// an *ikigai.Error.
func Login(ctx context.Context, cfg Config, server string) (demanded bool, err error) {
	s, ok := cfg.Servers[server]
	if !ok || s.URL == "" || s.SSE {
		return false, &ikigai.Error{Kind: ikigai.ErrorUsage, What: "The MCP server " + server + " is none that a login is for",
			Do: "Name one with an address and of type http"}
	}
	browse := cfg.Browse
	cfg.Browse = func(ctx context.Context, address string) error {
		demanded = true
		return browse(ctx, address)
	}
	if cfg.Notice == nil {
		cfg.Notice = func(string) {}
	}
	l := newLink(&cfg, server, s)
	ctx, cancel := context.WithTimeout(ctx, personTime+startTime)
	defer cancel()
	conn, err := l.connect(ctx)
	if err != nil {
		return demanded, l.failure(err)
	}
	conn.close()
	return demanded, nil
}
