package config

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ikigai"
)

// value gives a setting's place in a struct its form.
type value interface {
	// set takes over text and reports whether it is acceptable. It leaves the
	// place as it is when it is not.
	set(text string) bool
	// String returns what set would take for the present value.
	String() string
	// accepts says what set takes, to complete the sentence "Write …".
	accepts() string
	// schema returns the JSON Schema of the value.
	schema() map[string]any
}

// jsonType returns the type that v has in a file of settings.
func jsonType(v value) string {
	switch v.(type) {
	case *integer:
		return "integer"
	case *boolean:
		return "boolean"
	case *amount:
		return "number"
	case *words:
		return "array"
	}
	return "string"
}

// integer is a whole number between two bounds, both included.
type integer struct {
	p        *int
	min, max int
}

func (v *integer) set(text string) bool {
	n, err := strconv.Atoi(text)
	if err != nil || n < v.min || n > v.max {
		return false
	}
	*v.p = n
	return true
}

func (v *integer) String() string { return strconv.Itoa(*v.p) }

func (v *integer) accepts() string {
	return "a whole number from " + strconv.Itoa(v.min) + " to " + strconv.Itoa(v.max)
}

func (v *integer) schema() map[string]any {
	return map[string]any{"type": "integer", "minimum": v.min, "maximum": v.max}
}

// boolean is true or false.
type boolean struct{ p *bool }

func (v *boolean) set(text string) bool {
	if text != "true" && text != "false" {
		return false
	}
	*v.p = text == "true"
	return true
}

func (v *boolean) String() string         { return strconv.FormatBool(*v.p) }
func (v *boolean) accepts() string        { return "true or false" }
func (v *boolean) schema() map[string]any { return map[string]any{"type": "boolean"} }

// choice is one of several words.
type choice struct {
	p     *string
	words []string
}

func (v *choice) set(text string) bool {
	if !slices.Contains(v.words, text) {
		return false
	}
	*v.p = text
	return true
}

func (v *choice) String() string { return *v.p }

func (v *choice) accepts() string {
	words := slices.DeleteFunc(slices.Clone(v.words), func(w string) bool { return w == "" })
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return words[0]
}

func (v *choice) schema() map[string]any {
	return map[string]any{"type": "string", "enum": v.words}
}

// duration is a time in Go's form, in units from milliseconds to hours.
type duration struct {
	p    *time.Duration
	zero bool // 0s is a value, too
}

func (v *duration) set(text string) bool {
	if strings.Trim(text, "0123456789.hms") != "" {
		return false
	}
	d, err := time.ParseDuration(text)
	if err != nil || (d < minDuration && !(v.zero && d == 0)) || d > maxDuration {
		return false
	}
	*v.p = d
	return true
}

// String leaves out the zero parts that time.Duration writes: 5m, not 5m0s.
func (v *duration) String() string {
	text := v.p.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func (v *duration) accepts() string {
	if v.zero {
		return "0s, or a time from 1ms to 24h, such as 500ms, 10s or 2m"
	}
	return "a time from 1ms to 24h, such as 500ms, 10s or 2m"
}

func (v *duration) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^([0-9.]+(h|m|s|ms))+$`}
}

// toolChoice is a word or the name of a tool.
type toolChoice struct{ p *ikigai.ToolChoice }

func (v *toolChoice) set(text string) bool {
	if !isToolName(text) {
		return false
	}
	*v.p = ikigai.ParseToolChoice(text)
	return true
}

func (v *toolChoice) String() string  { return v.p.String() }
func (v *toolChoice) accepts() string { return "auto, none, required or the name of a tool" }

func (v *toolChoice) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}
}

func isToolName(text string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return text != "" && len(text) <= 64 && strings.Trim(text, letters+"0123456789_-") == ""
}

// pattern is text that follows a rule.
type pattern struct {
	p    *string
	rule rule
}

func (v *pattern) set(text string) bool {
	if !v.rule.valid(text) {
		return false
	}
	*v.p = text
	return true
}

func (v *pattern) String() string  { return *v.p }
func (v *pattern) accepts() string { return v.rule.accepts }

func (v *pattern) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": v.rule.expr}
}

// words is a list of texts without commas that follow a rule. As text they stand
// beside each other with a comma between them.
type words struct {
	p    *[]string
	rule rule
}

func (v *words) set(text string) bool {
	var all []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" && text == "" {
			continue
		}
		if word == "" || !v.rule.valid(word) {
			return false
		}
		all = append(all, word)
	}
	*v.p = all
	return true
}

func (v *words) String() string  { return strings.Join(*v.p, ",") }
func (v *words) accepts() string { return "a list in brackets, each of it " + v.rule.accepts }

func (v *words) schema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string", "pattern": v.rule.expr}}
}

// rule is a regular expression in words, with a check for what no regular
// expression says well.
type rule struct {
	expr    string
	accepts string
	check   func(string) bool // may be nil
}

func (r rule) valid(text string) bool {
	return regexp.MustCompile(r.expr).MatchString(text) && (r.check == nil || r.check(text))
}

var (
	ruleModel = rule{
		expr:    `^([^\s/\x00-\x1f\x7f]+(/[^\s/\x00-\x1f\x7f]+)*)?$`,
		accepts: `a model, such as "openai/gpt-5"`,
	}
	rulePath = rule{
		expr:    `^([^~\x00-\x1f\x7f][^\x00-\x1f\x7f]*|~(/[^\x00-\x1f\x7f]*)?)?$`,
		accepts: `the path of a file, such as "~/ikigai.db"`,
	}
	ruleURL = rule{
		expr:    `^(https?://[^\s/?#@\x00-\x1f\x7f]+|\{[A-Z0-9_|]+\})(/[^\s?#\x00-\x1f\x7f]*)?$`,
		accepts: `an address such as "http://127.0.0.1:8080/v1", without password, "?" or "#"`,
		check:   parsesAsURL,
	}
	// Upper case only: many vendors' keys would pass for a name otherwise, and
	// a key in its place must not get as far as an error about that variable.
	ruleVariable = rule{
		expr:    `^([A-Z_][A-Z0-9_]*( [A-Z_][A-Z0-9_]*)*)?$`,
		accepts: `the name of an environment variable in capitals, such as "OPENAI_API_KEY", and put the key into that variable`,
	}
	rulePathBelow = rule{
		expr:    `^(/?[^\s/#@\x00-\x1f\x7f][^\s#\x00-\x1f\x7f]*)?$`,
		accepts: `a path below base_url, such as "/models/{model}:streamGenerateContent?alt=sse"`,
	}
	ruleMember = rule{
		expr:    `^[A-Za-z_][A-Za-z0-9_]*$`,
		accepts: `the name of a member of JSON, such as "reasoning_content"`,
	}
	ruleLine = rule{
		expr:    `^[^\x00-\x1f\x7f]*$`,
		accepts: "a single line of text",
	}
	ruleVendor = rule{
		expr:    `^[A-Za-z0-9][A-Za-z0-9_-]*$`,
		accepts: "letters, digits, - and _",
	}
	ruleVendorOrNone = rule{
		expr:    `^([A-Za-z0-9][A-Za-z0-9_-]*)?$`,
		accepts: `the name of a vendor, such as "openai"`,
	}
	ruleHeaderOrNone = rule{
		expr:    "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$",
		accepts: `a header's name, such as "api-key"`,
	}
	ruleHeader = rule{
		expr:    "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
		accepts: `a header's name, such as "X-Title"`,
	}
)

func parsesAsURL(text string) bool {
	if strings.HasPrefix(text, "{") {
		text = "https://" + text
	}
	u, err := url.Parse(placeholder().ReplaceAllLiteralString(text, "x"))
	return err == nil && u.Hostname() != ""
}
