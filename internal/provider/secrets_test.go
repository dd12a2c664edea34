package provider

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"ikigai"
)

// longToken is longer than what an error repeats of others' words.
var longToken = "ya29.a0AfB+secret/" + strings.Repeat("x1Y2-z3_", 100)

// P41: nothing is left of a secret that others repeat, in whatever piece of an
// error, of which only the start is told, and however much of it they repeat.
func TestCutSecrets(t *testing.T) {
	said := func(before int, form string) string { return strings.Repeat("so it is ", before) + form + " or not" }
	token := func(n int) string { return longToken[:n] }
	escaped := url.QueryEscape(longToken)
	for name, answer := range map[string]func(w http.ResponseWriter){
		"refusal": func(w http.ResponseWriter) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":{"message":"%s"}}`, said(0, longToken))
		},
		"at the end of what is told": func(w http.ResponseWriter) { w.WriteHeader(500); io.WriteString(w, said(54, longToken)) },
		"escaped":                    func(w http.ResponseWriter) { w.WriteHeader(500); io.WriteString(w, said(3, escaped)) },
		"escaped at the end":         func(w http.ResponseWriter) { w.WriteHeader(500); io.WriteString(w, said(54, escaped)) },
		"cut by the vendor":          func(w http.ResponseWriter) { w.WriteHeader(500); io.WriteString(w, said(0, token(40)+"...")) },
		"cut by the vendor, quoted":  func(w http.ResponseWriter) { w.WriteHeader(500); io.WriteString(w, said(0, token(16)+`"`)) },
		"longer than is read": func(w http.ResponseWriter) {
			w.WriteHeader(500)
			io.WriteString(w, strings.Repeat(" ", maxErrorBody-100)+longToken)
		},
		"words with status 200": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, said(54, longToken))
		},
		"in a reply": func(w http.ResponseWriter) { io.WriteString(w, "oops "+said(50, longToken)+"\n") },
	} {
		for from, cfg := range map[string]Config{
			"key":    {Key: longToken},
			"header": {Header: map[string]string{"Authorization": "Bearer " + longToken}},
			"cloud": {Authorize: func(_ context.Context, r *http.Request, _ Body) error {
				r.Header.Set("X-Amz-Security-Token", longToken)
				return nil
			}},
		} {
			t.Run(name+"/"+from, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					cfg.MaxAttempts = 1
					c := serve(t, cfg, func(w http.ResponseWriter, _ *http.Request) { answer(w) })
					told := ask(t, c)
					if told == nil || strings.Contains(told.Error(), "ya29") {
						t.Errorf("%v", told)
					}
				})
			})
		}
	}
}

// ask sends a request whose reply may begin with "oops" and then tells of an error.
func ask(t *testing.T, c *Client) *ikigai.Error {
	for _, err := range c.Stream(t.Context(), "x", Body{}, func(reply *Reply, _ func(ikigai.Delta) bool) error {
		raw, err := io.ReadAll(reply)
		if err != nil {
			return err
		}
		return c.cfg.Broken("holds " + string(raw))
	}) {
		if err != nil {
			return err.(*ikigai.Error)
		}
	}
	return nil
}

func TestHide(t *testing.T) {
	const secret = "hdr.payload-of-one.signature"
	for s, want := range map[string]string{
		"a hdr.payload-of-one.signature b":             "a [key] b",
		"hdr.payload-of-one.signaturehdr.payload":      "[key]hdr.payload",
		"hdr.payload-of-one.sig":                       "[key]",
		"hdr.payload-of-one.sig and more":              "[key] and more",
		"hdr.payload-of-one.sig...":                    "[key]...",
		"hdr.payload-of-o is like hdr.payload-of-two.": "[key] is like hdr.payload-of-two.",
		"hdr.payload-of":                               "hdr.payload-of",
		"hdr.payload-of-other hdr.payload-of-one.s":    "hdr.payload-of-other [key]",
	} {
		if got := hide(s, secret, "[key]"); got != want {
			t.Errorf("%s: %s, want %s", s, got, want)
		}
	}
	if got := hide("short is short", "short", "[key]"); got != "short is short" {
		t.Error(got)
	}
}
