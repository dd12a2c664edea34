package cli

import (
	"testing"
	"time"

	"ikigai"
)

func TestSpan(t *testing.T) {
	zone := time.FixedZone("somewhere", 2*3600)
	now := time.Date(2026, 11, 20, 15, 4, 5, 0, zone)
	at := func(y int, m time.Month, d, h, min, s int) time.Time { return time.Date(y, m, d, h, min, s, 0, zone) }
	for _, test := range []struct {
		text        string
		since, till time.Time
	}{
		{"2026-11-19", at(2026, 11, 19, 0, 0, 0), at(2026, 11, 20, 0, 0, 0)},
		{"2026-12-31", at(2026, 12, 31, 0, 0, 0), at(2027, 1, 1, 0, 0, 0)},
		{"today", at(2026, 11, 20, 0, 0, 0), at(2026, 11, 21, 0, 0, 0)},
		{"Yesterday", at(2026, 11, 19, 0, 0, 0), at(2026, 11, 20, 0, 0, 0)},
		{"now", now, now},
		{"2026-11-20 15:04", at(2026, 11, 20, 15, 4, 0), at(2026, 11, 20, 15, 4, 0)},
		{"2026-11-20T15:04:05", now, now},
		{"2026-11-20T13:04:05Z", now, now},
		{"90m", at(2026, 11, 20, 13, 34, 5), at(2026, 11, 20, 13, 34, 5)},
		{"12h", at(2026, 11, 20, 3, 4, 5), at(2026, 11, 20, 3, 4, 5)},
		{"3d", at(2026, 11, 17, 15, 4, 5), at(2026, 11, 17, 15, 4, 5)},
		{"2w", at(2026, 11, 6, 15, 4, 5), at(2026, 11, 6, 15, 4, 5)},
	} {
		since, until, err := span{test.text, test.text}.bounds(now)
		if err != nil || since != ikigai.MicrosOf(test.since) || until != ikigai.MicrosOf(test.till) {
			t.Errorf("%s: from %s to %s, error %v", test.text, since.Time().In(zone), until.Time().In(zone), err)
		}
	}
	for _, text := range []string{"x", "3", "d", "-3d", "3 d", "2026-13-01", "99999999d", "tomorrow", "3y", "é"} {
		if _, _, err := (span{since: text}).bounds(now); ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("since %q: error %v", text, err)
		}
		if _, _, err := (span{until: text}).bounds(now); ikigai.KindOf(err) != ikigai.ErrorUsage {
			t.Errorf("until %q: error %v", text, err)
		}
	}
	if since, until, err := (span{}).bounds(now); since != 0 || until != 0 || err != nil {
		t.Errorf("without bounds: %d, %d, %v", since, until, err)
	}
}

// Whatever is typed is a time or an error, and a time ends no earlier than it
// begins.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"", "3d", "yesterday", "2026-11-20", "2026-11-20T15:04:05+02:00", "0m", "d", "9999999999w"} {
		f.Add(seed)
	}
	now := time.Date(2026, 3, 29, 2, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if from, to, err := parseTime(text, now); err == nil && to.Before(from) {
			t.Errorf("%q: from %s to %s", text, from, to)
		}
	})
}
