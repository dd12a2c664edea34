package faultserver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/faultserver"
	"ikigai/internal/providertest"
	"ikigai/internal/race"
)

// Every recorded stream of every interface comes to the same, however it comes
// over the network: all at once, in pieces of any size, with lines that end in
// whatever way is allowed.
func TestRecordedStreams(t *testing.T) {
	for _, api := range faultserver.APIs() {
		t.Run(string(api), func(t *testing.T) {
			s := faultserver.InMemory()
			defer s.Close()
			m := model(api, s, 1)
			streams := 0
			for _, rec := range providertest.Recordings(t, string(api)) {
				if rec.Status != 200 || !rec.Stream {
					continue
				}
				if streams++; streams%race.Tenth == 0 {
					checkWays(t, s, m, rec)
				}
			}
			t.Logf("%d streams", streams)
			if streams < 90 {
				t.Errorf("%d streams: some recordings are missing", streams)
			}
		})
	}
}

func checkWays(t *testing.T, s *faultserver.Server, m ikigai.Model, rec providertest.Recording) {
	whole := answer{Header: rec.Header, Body: rec.Body}
	want := collect(t, s, m, whole)
	for how, a := range ways(whole) {
		if diff := cmp.Diff(want, collect(t, s, m, a)); diff != "" {
			t.Errorf("%s, %s (-whole +so):\n%s", rec.Name, how, diff)
		}
	}
}

// ways returns the ways in which a may come, too.
func ways(a answer) map[string]answer {
	const most = 2000 // pieces of a long stream
	all := map[string]answer{
		"in small pieces": a.Drip(1 + len(a.Body)/most),
		"in pieces of 11": a.Drip(max(11, len(a.Body)/most)),
	}
	if start := strings.TrimSpace(a.Body); strings.HasPrefix(start, "{") || strings.HasPrefix(start, "[") {
		return all // no lines
	}
	plain := strings.ReplaceAll(a.Body, "\r\n", "\n")
	for how, end := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		a.Body = strings.ReplaceAll(plain, "\n", end)
		all["with "+how] = a
		all["with "+how+", in pieces"] = a.Drip(max(7, len(a.Body)/most))
	}
	return all
}

// collect returns what becomes of a. Calls that came without an ID are given a
// random one, which is left out.
func collect(t *testing.T, s *faultserver.Server, m ikigai.Model, a answer) string {
	s.Play(a)
	r := providertest.Collect(t, m, ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	for i := range r.Calls {
		if !strings.Contains(a.Body, r.Calls[i].ID) {
			r.Calls[i].ID = "new"
		}
	}
	return r.String()
}
