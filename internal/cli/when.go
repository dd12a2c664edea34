package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ikigai"
)

// span is a stretch of time as a person gives it with --since and --until.
type span struct{ since, until string }

// bounds returns the first moment of the span and the first one after it; 0
// where it is open. A day given as the end belongs to the span.
func (s span) bounds(now time.Time) (since, until ikigai.Micros, err error) {
	if s.since != "" {
		from, _, err := parseTime(s.since, now)
		if err != nil {
			return 0, 0, timeError("--since", s.since)
		}
		since = ikigai.MicrosOf(from)
	}
	if s.until != "" {
		_, to, err := parseTime(s.until, now)
		if err != nil {
			return 0, 0, timeError("--until", s.until)
		}
		until = ikigai.MicrosOf(to)
	}
	return since, until, nil
}

func timeError(flag, text string) error {
	return usage(fmt.Sprintf("%s %q is no time", flag, text),
		`Write a day such as 2026-11-20, today or yesterday, a time such as "2026-11-20 15:04", or how long ago, such as 90m, 12h, 3d or 2w`)
}

// parseTime reads a point in time, or a day, which has a beginning and an end.
func parseTime(text string, now time.Time) (from, to time.Time, err error) {
	day := func(t time.Time) (time.Time, time.Time, error) {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, now.Location()), time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()), nil
	}
	switch text = strings.TrimSpace(text); strings.ToLower(text) {
	case "now":
		return now, now, nil
	case "today":
		return day(now)
	case "yesterday":
		return day(now.AddDate(0, 0, -1))
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day(t)
	}
	for _, form := range []string{"2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.ParseInLocation(form, text, now.Location()); err == nil {
			return t, t, nil
		}
	}
	t, err := ago(text, now)
	return t, t, err
}

// ago reads how long before now something was: 90m, 12h, 3d, 2w.
func ago(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now, strconv.ErrSyntax
	}
	n, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || n < 0 || n > 1_000_000 {
		return now, strconv.ErrSyntax
	}
	switch text[len(text)-1] {
	case 'm':
		return now.Add(-time.Duration(n) * time.Minute), nil
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), nil
	case 'd':
		return now.AddDate(0, 0, -n), nil
	case 'w':
		return now.AddDate(0, 0, -7*n), nil
	}
	return now, strconv.ErrSyntax
}
