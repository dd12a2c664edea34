package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"ikigai"
)

const (
	maxQuoted   = 80 // bytes of a value that are repeated in an error
	maxProblems = 12 // that one error lists
	maxLookedAt = 10_000
)

// unique returns texts without those that come again.
func unique(texts []string) []string {
	var once []string
	for _, t := range texts {
		if !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	return once
}

// refusal says what is wrong with an instance that the library refuses.
func (c *checker) refusal(instance map[string]any) error {
	x := explainer{c, maxLookedAt}
	problems := unique(x.problems(c.root, "", instance))
	if len(problems) == 0 {
		problems = []string{c.libraryText(c.validate(instance))}
	}
	if extra := len(problems) - maxProblems; extra > 0 {
		problems = append(problems[:maxProblems], fmt.Sprintf("and %d more", extra))
	}
	return &ikigai.Error{Kind: ikigai.ErrorUsage,
		What: "Invalid arguments: " + strings.Join(problems, "; "), Do: c.usage()}
}

// explainer finds words for what is wrong with a value.
type explainer struct {
	*checker
	left int // schemas that are still looked at: alternatives within alternatives would take for ever
}

// problems finds words for the common ways in which v, found at path, does not
// fit s. It may find none.
func (x *explainer) problems(s *jsonschema.Schema, path string, v any) []string {
	if x.left--; s == nil || x.left < 0 {
		return nil
	}
	if s.Ref != "" {
		return x.problems(x.target(s.Ref), path, v)
	}
	if len(typesOf(s)) > 0 && !slices.ContainsFunc(typesOf(s), func(t string) bool { return hasType(v, t) }) {
		return []string{typeProblem(s, path, v)}
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return jsonschema.Equal(e, v) }) {
		return []string{fmt.Sprintf("%s must be one of %s, not %s", place(path), list(s.Enum), quote(v))}
	}
	if s.Const != nil && !jsonschema.Equal(*s.Const, v) {
		return []string{fmt.Sprintf("%s must be %s, not %s", place(path), quote(*s.Const), quote(v))}
	}
	all := x.inside(s, path, v)
	for _, part := range s.AllOf {
		all = append(all, x.problems(part, path, v)...)
	}
	return append(all, append(x.nearest(s.AnyOf, path, v), x.nearest(s.OneOf, path, v)...)...)
}

// nearest returns the problems with that of several forms which the value comes
// nearest to.
func (x *explainer) nearest(forms []*jsonschema.Schema, path string, v any) (least []string) {
	for i, form := range forms {
		problems := x.problems(form, path, v)
		if len(problems) == 0 {
			return nil
		}
		if i == 0 || len(problems) < len(least) {
			least = problems
		}
	}
	return least
}

// inside finds words for what is wrong with the parts of a value.
func (x *explainer) inside(s *jsonschema.Schema, path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		return x.objectProblems(s, path, v)
	case []any:
		all := lengthProblems(s, path, len(v))
		for i, e := range v {
			all = append(all, x.problems(s.Items, fmt.Sprintf("%s[%d]", path, i), e)...)
		}
		return all
	case string:
		return stringProblems(s, path, v)
	case int64:
		return numberProblems(s, path, float64(v), v)
	case float64:
		return numberProblems(s, path, v, v)
	}
	return nil
}

func lengthProblems(s *jsonschema.Schema, path string, n int) []string {
	switch {
	case s.MinItems != nil && n < *s.MinItems:
		return []string{fmt.Sprintf("%s must have at least %s, not %d", place(path), items(*s.MinItems), n)}
	case s.MaxItems != nil && n > *s.MaxItems:
		return []string{fmt.Sprintf("%s must have at most %s, not %d", place(path), items(*s.MaxItems), n)}
	}
	return nil
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}

func (x *explainer) objectProblems(s *jsonschema.Schema, path string, v map[string]any) []string {
	var all []string
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			all = append(all, fmt.Sprintf("%s is missing", join(path, name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		for _, other := range slices.Concat(s.DependentRequired[name], s.DependencyStrings[name]) {
			if _, ok := v[other]; !ok {
				all = append(all, fmt.Sprintf("%s is missing, which %s needs", join(path, other), join(path, name)))
			}
		}
		property, known := s.Properties[name]
		switch {
		case known:
			all = append(all, x.problems(property, join(path, name), v[name])...)
		case x.isUnknown(s, name):
			all = append(all, fmt.Sprintf("%s is not a parameter", short(join(path, name))))
		}
	}
	return all
}

// isUnknown reports whether an object may not have a property, which is not
// among the properties of s itself.
func (x *explainer) isUnknown(s *jsonschema.Schema, name string) bool {
	for pattern := range s.PatternProperties {
		if re, err := regexp.Compile(pattern); err != nil || re.MatchString(name) {
			return false
		}
	}
	if refusesAll(s.AdditionalProperties) {
		return true
	}
	if !refusesAll(s.UnevaluatedProperties) || len(s.AnyOf)+len(s.OneOf)+len(s.DependentSchemas) > 0 || s.If != nil {
		return false
	}
	return !slices.ContainsFunc(s.AllOf, func(part *jsonschema.Schema) bool {
		part = x.meant(part)
		return part == nil || part.Properties[name] != nil || part.AdditionalProperties != nil || len(part.PatternProperties)+len(part.AllOf) > 0
	})
}

// refusesAll reports whether s is the schema false, which the library holds as
// {"not": {}}.
func refusesAll(s *jsonschema.Schema) bool {
	if s == nil {
		return false
	}
	text, err := json.Marshal(s)
	return err == nil && (string(text) == "false" || string(text) == `{"not":{}}` || string(text) == `{"not":true}`)
}

func typeProblem(s *jsonschema.Schema, path string, v any) string {
	want := make([]string, 0, 2)
	for _, t := range typesOf(s) {
		want = append(want, article(t))
	}
	return fmt.Sprintf("%s must be %s, not %s", place(path), strings.Join(want, " or "), kindAndValue(v))
}

func stringProblems(s *jsonschema.Schema, path, v string) []string {
	n := utf8.RuneCountInString(v)
	switch {
	case s.MinLength != nil && n < *s.MinLength && n == 0:
		return []string{fmt.Sprintf("%s must not be empty", place(path))}
	case s.MinLength != nil && n < *s.MinLength:
		return []string{fmt.Sprintf("%s must have at least %d characters, not %d", place(path), *s.MinLength, n)}
	case s.MaxLength != nil && n > *s.MaxLength:
		return []string{fmt.Sprintf("%s must have at most %d characters, not %d", place(path), *s.MaxLength, n)}
	case s.Pattern != "":
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			return []string{fmt.Sprintf("%s must match %s, which %s does not", place(path), s.Pattern, quote(v))}
		}
	}
	return nil
}

func numberProblems(s *jsonschema.Schema, path string, n float64, v any) []string {
	if s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum ||
		s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum || s.ExclusiveMaximum != nil && n >= *s.ExclusiveMaximum {
		return []string{fmt.Sprintf("%s must be %s, not %s", place(path), bounds(s), quote(v))}
	}
	return nil
}

// bounds returns the range of a number in words, "" if it has none.
func bounds(s *jsonschema.Schema) string {
	var words []string
	add := func(word string, bound *float64) {
		if bound != nil {
			words = append(words, word+" "+strconv.FormatFloat(*bound, 'f', -1, 64))
		}
	}
	if s.Minimum != nil && s.Maximum != nil {
		add("from", s.Minimum)
		add("to", s.Maximum)
		return strings.Join(words, " ")
	}
	add("at least", s.Minimum)
	add("at most", s.Maximum)
	add("above", s.ExclusiveMinimum)
	add("below", s.ExclusiveMaximum)
	return strings.Join(words, " and ")
}

// libraryText returns the library's words, with the place in front.
func (c *checker) libraryText(err error) string {
	if err == nil {
		return "they do not fit the schema"
	}
	text, at := err.Error(), ""
	for {
		rest, ok := strings.CutPrefix(text, "validating ")
		if !ok {
			break
		}
		path, reason, ok := strings.Cut(rest, ": ")
		if !ok {
			break
		}
		if strings.HasPrefix(path, "/") {
			at = path
		}
		text = reason
	}
	at = strings.NewReplacer("/properties/", ".", "/items", "[]").Replace(at)
	if at = strings.TrimPrefix(at, "."); at != "" {
		return short(at) + ": " + short(text)
	}
	return short(text)
}

// usage says how to call the tool.
func (c *checker) usage() string {
	if c.root == nil {
		return "Send one JSON object"
	}
	if len(c.names) == 0 {
		return "Call it again with {}"
	}
	var words []string
	for _, name := range c.names[:min(len(c.names), maxProblems)] {
		words = append(words, fmt.Sprintf("%s (%s)", name, c.describe(name)))
	}
	if extra := len(c.names) - len(words); extra > 0 {
		words = append(words, fmt.Sprintf("and %d more", extra))
	}
	return "Parameters are " + strings.Join(words, ", ")
}

func (c *checker) describe(name string) string {
	p := c.root.Properties[name]
	if p == nil {
		return "any"
	}
	words := strings.Join(typesOf(p), " or ")
	if len(p.Enum) > 0 {
		words = "one of " + list(p.Enum)
	}
	if b := bounds(p); b != "" {
		words += " " + b
	}
	switch {
	case slices.Contains(c.root.Required, name):
		words += ", required"
	case len(p.Default) > 0:
		words += ", default " + short(string(p.Default))
	default:
		words += ", optional"
	}
	return strings.TrimPrefix(words, ", ")
}

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func hasType(v any, t string) bool {
	switch v := v.(type) {
	case nil:
		return t == "null"
	case bool:
		return t == "boolean"
	case string:
		return t == "string"
	case int64:
		return t == "integer" || t == "number"
	case float64:
		return t == "number" || t == "integer" && v == float64(int64(v)) || t == "integer" && (v > 1<<53 || v < -(1<<53))
	case []any:
		return t == "array"
	}
	return t == "object"
}

// article returns the name of a type as a noun phrase.
func article(t string) string {
	switch t {
	case "null":
		return t
	case "integer", "array", "object":
		return "an " + t
	}
	return "a " + t
}

// kindOf returns the kind of a valid JSON text as a noun phrase.
func kindOf(raw []byte) string {
	switch raw = bytes.TrimSpace(raw); raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func kindAndValue(v any) string {
	raw := quote(v)
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any, []any:
		return kindOf([]byte(raw))
	}
	return "the " + strings.TrimPrefix(strings.TrimPrefix(kindOf([]byte(raw)), "a "), "an ") + " " + raw
}

// place returns the name of what is at path.
func place(path string) string {
	if path == "" {
		return "the arguments"
	}
	return short(path)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func list(values []any) string {
	var words []string
	for _, v := range values[:min(len(values), maxProblems)] {
		words = append(words, quote(v))
	}
	if extra := len(values) - len(words); extra > 0 {
		words = append(words, fmt.Sprintf("and %d more", extra))
	}
	return strings.Join(words, ", ")
}

// quote returns v as JSON text, shortened.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "a value"
	}
	return short(strings.TrimSuffix(b.String(), "\n"))
}

// short cuts s to maxQuoted bytes, between characters.
func short(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	n := maxQuoted
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
