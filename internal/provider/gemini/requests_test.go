package gemini

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai/internal/provider"
	"ikigai/internal/providertest"
	"ikigai/internal/wirecheck"
)

// Every recorded request that a conversation of no vendor can hold is rebuilt
// from it, and means the same. S1.22, S2.27, S2.28, S2.29, S2.30, S2.31, S2.32, P1, P4.
func TestRecordedRequests(t *testing.T) {
	var tally providertest.Tally
	withCalls, signed := 0, 0
	for _, api := range []string{"gemini.stream", "gemini.generate"} {
		for _, rec := range providertest.Recordings(t, api) {
			if rec.Request == "" || rec.Status != http.StatusOK {
				tally.Leave("no request was recorded, or it was refused")
				continue
			}
			want := normal(decode(t, []byte(rec.Request)))
			cfg, req, why := hold(rec.URL, want)
			if why != "" {
				tally.Leave(why)
				continue
			}
			tally.Try(t, rec.Name, func(t *testing.T) {
				body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
				raw := bytes.Join(body, nil)
				got := normal(decode(t, raw))
				alignIDs(want, got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-recorded +rebuilt):\n%s", rec.Name, diff)
				}
				if err := wirecheck.Gemini(raw); err != nil {
					t.Errorf("%s: %v", rec.Name, err)
				}
				if bytes.Contains(raw, []byte("functionCall\"")) {
					withCalls++
				}
				if bytes.Contains(raw, []byte("thoughtSignature")) {
					signed++
				}
			})
		}
	}
	tally.Report(t)
	t.Logf("%d hold calls and %d signatures", withCalls, signed)
	if providertest.Known(t) && (tally.Passed < 300 || withCalls < 100 || signed < 100) {
		t.Error("too few requests are held")
	}
}

func decode(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// alignIDs takes the IDs of calls and results out of both requests where only
// one has them: models before Gemini 3 are sent none, later ones are always.
func alignIDs(a, b map[string]any) {
	if ids(a, false) > 0 && ids(b, false) > 0 {
		return
	}
	ids(a, true)
	ids(b, true)
}

// ids counts the IDs in a request, and takes them out if remove is set.
func ids(body map[string]any, remove bool) (n int) {
	for _, c := range list(body["contents"]) {
		for _, p := range list(c.(map[string]any)["parts"]) {
			for _, name := range []string{"functionCall", "functionResponse"} {
				f, _ := p.(map[string]any)[name].(map[string]any)
				if _, ok := f["id"]; ok {
					n++
				}
				if remove {
					delete(f, "id")
				}
			}
		}
	}
	return n
}
