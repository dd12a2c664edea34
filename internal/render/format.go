package render

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// number returns n with its thousands apart: 1,234,567.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Count returns how many there are of something, in words: "1 call",
// "2,000 calls". The plural of noun must be noun and an s.
func Count(n int, noun string) string { return count(n, noun) }

// count is Count for the numbers of the log, too.
func count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(int64(n)) + " " + thing + "s"
}

// Bytes returns a size in two or three figures: 640 B, 12 KB, 1.2 MB.
func Bytes(n int64) string {
	size, unit := float64(n), "B"
	for _, larger := range []string{"KB", "MB", "GB", "TB"} {
		if size < 999.5 {
			break
		}
		size, unit = size/1000, larger
	}
	digits := 0
	if size < 9.95 && unit != "B" {
		digits = 1
	}
	return strconv.FormatFloat(size, 'f', digits, 64) + " " + unit
}

// Dollars returns an amount in millionths of a US dollar: $12.34, and $0.0012
// where less would say nothing.
func Dollars(micros int64) string {
	digits := 2
	if 0 < micros && micros < 50 {
		return "<$0.0001"
	}
	if micros < 100_000 && micros > -100_000 {
		digits = 4
	}
	if micros == 0 {
		digits = 2
	}
	return "$" + strconv.FormatFloat(float64(micros)/1e6, 'f', digits, 64)
}

// Duration returns a time span in two figures or so: 12 ms, 1.2 s, 2 min 5 s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	case d < time.Minute:
		return strconv.FormatInt(int64(d/time.Second), 10) + " s"
	case d < time.Hour:
		return two(d/time.Minute, "min", d%time.Minute/time.Second, "s")
	}
	return two(d/time.Hour, "h", d%time.Hour/time.Minute, "min")
}

func two(a time.Duration, unit string, b time.Duration, smaller string) string {
	text := strconv.FormatInt(int64(a), 10) + " " + unit
	if b > 0 {
		text += " " + strconv.FormatInt(int64(b), 10) + " " + smaller
	}
	return text
}

// Ago returns how long before now t was, in words, and the date from a month on.
func (s Style) Ago(now, t time.Time) string {
	d := now.Sub(t)
	unit := func(u time.Duration, name string) string {
		return strconv.FormatInt(int64(d/u), 10) + " " + name + " ago"
	}
	const day = 24 * time.Hour
	switch {
	case d < 10*time.Second: // a clock that was set back counts as now
		return "just now"
	case d < time.Minute:
		return unit(time.Second, "s")
	case d < time.Hour:
		return unit(time.Minute, "min")
	case d < day:
		return unit(time.Hour, "h")
	case d < 30*day:
		return unit(day, "d")
	}
	return s.in(t).Format("2006-01-02")
}

// in returns t in the zone of s.
func (s Style) in(t time.Time) time.Time {
	if s.Zone == nil {
		return t.Local()
	}
	return t.In(s.Zone)
}

// quoted returns text of one line in the first quotes that it does not hold,
// so that it reads, and can be copied, without escapes. Text that holds all of
// them is in the form of JSON.
func quoted(text string) string {
	for _, q := range []string{`"`, "'", "`"} {
		if !strings.Contains(text, q) {
			return q + text + q
		}
	}
	return string(marshal(text))
}

// pretty returns JSON text over several lines, with keys in their order, and
// what is no JSON as it is.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// short returns JSON text on one line.
func short(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func marshal(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return nil // a string can always be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
