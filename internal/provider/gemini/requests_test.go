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
	rebuilt, withCalls, signed, notHeld := 0, 0, 0, map[string]int{}
	for _, api := range []string{"gemini.stream", "gemini.generate"} {
		for _, rec := range providertest.Recordings(t, api) {
			if rec.Request == "" || rec.Status != http.StatusOK {
				continue
			}
			want := normal(decode(t, []byte(rec.Request)))
			cfg, req, why := hold(rec.URL, want)
			if why != "" {
				notHeld[why]++
				continue
			}
			body, _ := provider.Encode(cfg.Name, &wire{cfg}, req)
			raw := bytes.Join(body, nil)
			got := normal(decode(t, raw))
			alignIDs(want, got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-recorded +rebuilt):\n%s", rec.Name, diff)
				continue
			}
			if err := wirecheck.Gemini(raw); err != nil {
				t.Errorf("%s: %v", rec.Name, err)
			}
			rebuilt++
			if bytes.Contains(raw, []byte("functionCall\"")) {
				withCalls++
			}
			if bytes.Contains(raw, []byte("thoughtSignature")) {
				signed++
			}
		}
	}
	t.Logf("%d requests rebuilt, of which %d hold calls and %d signatures; not held: %v", rebuilt, withCalls, signed, notHeld)
	if rebuilt < 300 || withCalls < 100 || signed < 100 {
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
