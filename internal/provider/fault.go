package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fault is what a vendor says of an error, from whatever form it says it in.
type fault struct {
	message string
	words   []string      // types, codes and reasons, in lower case
	places  []string      // of the request that are at fault, as the vendor writes them
	wait    time.Duration // that the vendor asks for; 0 if it does not say
	status  int           // where the body names one
	told    bool          // there is an error object, or an error in words: not merely a page
}

// parseFault reads the body of an error: an object with an error object or
// string, an object with a message or detail, a list of such, or plain text.
func parseFault(body []byte) fault {
	var f fault
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		if text := bytes.TrimSpace(body); !bytes.HasPrefix(text, []byte("<")) { // a page of HTML says nothing
			f.message = string(text)
		}
		return f
	}
	f.read(v)
	return f
}

// read takes in v. What stands deeper is nearer to the cause, so that it
// replaces a message from further out.
func (f *fault) read(v any) {
	switch v := v.(type) {
	case string:
		f.readText(v)
	case []any:
		for _, item := range v[:min(len(v), 1)] {
			f.read(item)
		}
	case map[string]any:
		f.readObject(v)
	}
}

func (f *fault) readObject(v map[string]any) {
	f.told = f.told || v["error"] != nil || v["object"] == "error"
	for _, name := range []string{"type", "__type", "code", "status", "reason"} {
		f.readWord(v[name])
	}
	if n, ok := v["status_code"].(float64); ok {
		f.setStatus(int(n))
	}
	f.readPlace(v["param"])
	f.readPlace(v["loc"])
	for _, name := range []string{"detail", "msg", "message", "errors", "error"} {
		if v[name] != nil {
			f.read(v[name])
		}
	}
	f.readDetails(v["details"])
	// OpenRouter: the error of the vendor behind it.
	if metadata, ok := v["metadata"].(map[string]any); ok && metadata["raw"] != nil {
		f.read(metadata["raw"])
	}
}

// readText takes in a message, which may itself be the JSON of an error.
func (f *fault) readText(s string) {
	if strings.HasPrefix(strings.TrimSpace(s), "{") {
		if inner := parseFault([]byte(s)); inner.message != "" && inner.message != s {
			f.message = inner.message
			f.words = append(f.words, inner.words...)
			f.places = append(f.places, inner.places...)
			f.wait = max(f.wait, inner.wait)
			return
		}
	}
	if strings.TrimSpace(s) != "" {
		f.message = s
	}
}

// readWord takes in a type or a code, which may be a status.
func (f *fault) readWord(v any) {
	switch v := v.(type) {
	case string:
		_, v, _ = cutLast(v, "#") // com.amazon.coral.service#ThrottlingException
		f.words = append(f.words, strings.ToLower(v))
		if n, err := strconv.Atoi(v); err == nil {
			f.setStatus(n)
		}
	case float64:
		f.setStatus(int(v))
	}
}

func (f *fault) setStatus(n int) {
	if n >= 400 && n < 600 {
		f.status = n
	}
}

// readPlace takes in a place of the request: a path, or the list of its steps.
func (f *fault) readPlace(v any) {
	switch v := v.(type) {
	case string:
		f.places = append(f.places, v)
	case []any:
		steps := make([]string, len(v))
		for i, step := range v {
			steps[i] = fmt.Sprint(step)
		}
		f.places = append(f.places, strings.Join(steps, "."))
	}
}

// readDetails takes in the details of a Google error: reasons, places, how long
// to wait, and which quota is used up.
func (f *fault) readDetails(v any) {
	list, _ := v.([]any)
	for _, item := range list {
		detail, _ := item.(map[string]any)
		f.readWord(detail["reason"])
		if s, ok := detail["retryDelay"].(string); ok {
			f.wait = max(f.wait, duration(s))
		}
		for _, field := range objectsIn(detail["fieldViolations"]) {
			f.readPlace(field["field"])
		}
		for _, quota := range objectsIn(detail["violations"]) {
			if id, _ := quota["quotaId"].(string); strings.Contains(id, "PerDay") {
				f.words = append(f.words, wordDailyQuota)
			}
		}
	}
}

// wordDailyQuota is the word of a fault that names a quota of a whole day.
const wordDailyQuota = "quota_per_day"

// objectsIn returns the objects of a list.
func objectsIn(v any) []map[string]any {
	list, _ := v.([]any)
	objects := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

// cutLast slices s around the last sep. Without one, all of s is after it.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// is reports whether one of the types and codes is one of words.
func (f fault) is(words ...string) bool {
	return slices.ContainsFunc(f.words, func(have string) bool { return slices.Contains(words, have) })
}

// says reports whether the message contains one of parts.
func (f fault) says(parts ...string) bool {
	message := strings.ToLower(f.message)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(message, p) })
}
