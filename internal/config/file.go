package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/textproto"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// file is a file of settings while it is taken over into s.
type file struct {
	s       *Settings
	path    string
	home    string
	project bool // it is a project's, not the person's
	content []byte
}

// member is a name with its value inside an object of a file.
type member struct {
	name  string // as written
	key   string // with the names of the objects around it: vendors.local.base_url
	at    int    // offset of the name
	value hujson.Value
}

// parse takes over the settings in content, the content of the person's file at
// path.
func (s *Settings) parse(path string, content []byte, home string) error {
	f := &file{s: s, path: path, home: home}
	return f.parse(content)
}

// parse takes over the settings in content: JSON with comments and trailing
// commas. A file without any JSON sets nothing.
func (f *file) parse(content []byte) error {
	root, err := f.root(content)
	if err != nil || root == nil {
		return err
	}
	return f.members("", *root, f.setting)
}

// root returns the JSON of a file, nil if it holds none.
func (f *file) root(content []byte) (*hujson.Value, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	f.content = append(bytes.Clone(content), '\n') // ends a comment in the last line
	if i := invalidUTF8(f.content); i >= 0 {
		return nil, f.fault(i, "the file is not UTF-8 text", "Save it as UTF-8")
	}
	if hujson.Extra(f.content).IsValid() {
		return nil, nil
	}
	root, err := hujson.Parse(f.content)
	if err != nil {
		return nil, f.syntaxError(err)
	}
	return &root, nil
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// members calls visit for each member of the object v, whose own key is key.
func (f *file) members(key string, v hujson.Value, visit func(member) error) error {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		what := "the file holds " + describe(v)
		if key != "" {
			what = key + " is " + describe(v)
		}
		return f.fault(v.StartOffset, what, "Write an object, such as {}")
	}
	seen := make(map[string]bool, len(object.Members))
	for _, o := range object.Members {
		m := member{name: literal(o.Name), at: o.Name.StartOffset, value: o.Value}
		m.key = join(key, m.name)
		if seen[m.name] {
			return f.fault(m.at, quoteKey(m.key)+" is set twice", "Keep one of the two")
		}
		seen[m.name] = true
		if err := visit(m); err != nil {
			return err
		}
	}
	return nil
}

// setting takes over a member of the file's outermost object.
func (f *file) setting(m member) error {
	switch group, rest, dotted := strings.Cut(m.name, "."); {
	case dotted:
		return f.fault(m.at, "no setting is called "+quoteKey(m.name),
			"Write an object in an object, such as "+strconv.Quote(clip(group))+": {"+strconv.Quote(clip(rest))+": …}")
	case m.key == "$schema":
		var address string
		return f.set(m, &pattern{p: &address, rule: ruleLine}, false)
	case m.key == "vendors":
		return f.members(m.key, m.value, f.vendor)
	case m.key == "models":
		return f.members(m.key, m.value, f.model)
	case m.key == mcpServersKey:
		return f.mcpServers(m)
	}
	if err := assign(f, table, []string{"vendors", "models", mcpServersKey}, f.s, m.key, m); err != nil {
		return err
	}
	f.s.placed(m.key, filepath.Dir(f.path), f.home)
	return nil
}

// vendor takes over a member of the object vendors.
func (f *file) vendor(m member) error {
	if !ruleVendor.valid(m.name) {
		return f.fault(m.at, fmt.Sprintf("%q cannot be the name of a vendor", clip(m.name)), "Use "+ruleVendor.accepts)
	}
	v, known := f.s.Vendors[m.name]
	if !known {
		applyDefaults(vendorTable, &v)
	}
	f.place(m.key, m.at)
	err := f.members(m.key, m.value, func(m member) error {
		switch m.name {
		case "headers":
			return f.headers(&v, m)
		case "body":
			return f.body(&v, m)
		}
		return assign(f, vendorTable, []string{"headers", "body"}, &v, m.name, m)
	})
	f.s.Vendors[m.name] = v
	return err
}

func (f *file) headers(v *Vendor, headers member) error {
	return f.members(headers.key, headers.value, func(m member) error {
		if !ruleHeader.valid(m.name) {
			return f.fault(m.at, fmt.Sprintf("%q cannot be the name of a header", clip(m.name)), "Write "+ruleHeader.accepts)
		}
		var content string
		if err := f.set(m, &pattern{p: &content, rule: ruleLine}, true); err != nil {
			return err
		}
		if v.Headers == nil {
			v.Headers = make(map[string]string)
		}
		name := textproto.CanonicalMIMEHeaderKey(m.name)
		v.Headers[name] = content
		f.place(join(headers.key, name), m.at)
		return nil
	})
}

// body takes over the members of requests that the person adds.
func (f *file) body(v *Vendor, body member) error {
	return f.members(body.key, body.value, func(m member) error {
		if !ruleMember.valid(m.name) {
			return f.fault(m.at, fmt.Sprintf("%q cannot be a member of a request", clip(m.name)), "Write "+ruleMember.accepts)
		}
		if err := f.keepOut(m); err != nil {
			return err
		}
		content := m.value.Clone()
		content.Minimize()
		if v.Quirks.Body == nil {
			v.Quirks.Body = make(map[string]json.RawMessage)
		}
		v.Quirks.Body[m.name] = json.RawMessage(bytes.TrimSpace(content.Pack()))
		f.place(m.key, m.at)
		return nil
	})
}

// assign sets the field of into that is called name to the value of m. When
// name is only the beginning of fields' names, m is an object that holds them.
// beside are the names that stand beside fields and are taken care of elsewhere.
func assign[T any](f *file, fields []field[T], beside []string, into *T, name string, m member) error {
	group := false
	for _, fd := range fields {
		if fd.name == name {
			return f.set(m, fd.of(into), fd.private)
		}
		group = group || strings.HasPrefix(fd.name, name+".")
	}
	if !group {
		return f.unknown(m, siblings(fields, beside, name))
	}
	return f.members(m.key, m.value, func(inner member) error {
		return assign(f, fields, beside, into, name+"."+inner.name, inner)
	})
}

// set sets v to the value of m, which must have v's type in the file.
func (f *file) set(m member, v value, private bool) error {
	if err := f.keepOut(m); err != nil {
		return err
	}
	got, want := typeOf(m.value), jsonType(v)
	text, plain := literal(m.value), true
	if got == "array" {
		text, plain = elements(m.value)
	}
	either := takesNumber(v)
	fits := got == want || got == "integer" && (want == "number" || either)
	if fits && plain && v.set(text) {
		f.place(m.key, m.at)
		return nil
	}
	shownValue, accepts := describe(m.value), v.accepts()
	if got == "string" {
		shownValue = shown(literal(m.value), private)
	}
	switch {
	case want == "string" && got != want && !either:
		accepts += ", in quotes"
	case got == "string" && got != want && want != "array":
		accepts += ", without quotes"
	}
	return badValue(f.position(m.value.StartOffset), m.key, shownValue, accepts)
}

// takesNumber reports whether v is text that may be a whole number, too.
func takesNumber(v value) bool {
	switch v.(type) {
	case *thinking, *callTime:
		return true
	}
	return false
}

// place notes that the setting key was set at offset at.
func (f *file) place(key string, at int) {
	line, _ := f.lineColumn(at)
	f.s.origin(key, fmt.Sprintf("%s:%d", f.path, line))
}

func (f *file) position(at int) string {
	line, column := f.lineColumn(at)
	return fmt.Sprintf("%s:%d:%d", f.path, line, column)
}

// lineColumn returns where the offset at is, both counted from 1 and columns in
// characters.
func (f *file) lineColumn(at int) (line, column int) {
	before := f.content[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[start:])
}

// syntaxError gives an error of hujson.Parse our form. A message about an
// invalid literal repeats it, and it may be a key: that part is left out.
func (f *file) syntaxError(err error) error {
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		line, column = 1, 1
	}
	at := f.offset(line, column)
	cause := err
	if inner := errors.Unwrap(err); inner != nil {
		cause = inner
	}
	what := cause.Error()
	if strings.HasPrefix(what, "invalid literal") {
		what = "this is neither text in quotes nor a number, true or false"
	}
	return f.fault(at, "the file is not valid JSON: "+what, "Correct it there or just before")
}

// offset is the inverse of lineColumn for a column in bytes.
func (f *file) offset(line, column int) int {
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(f.content[at:], '\n') + 1
	}
	return min(at+column-1, len(f.content))
}

// elements returns the texts of a list with commas between them, and whether it
// is one of such texts.
func elements(v hujson.Value) (text string, ok bool) {
	array, ok := v.Value.(*hujson.Array)
	if !ok {
		return "", false
	}
	all := make([]string, len(array.Elements))
	for i, e := range array.Elements {
		all[i] = literal(e)
		if typeOf(e) != "string" || all[i] == "" || strings.Contains(all[i], ",") {
			return "", false
		}
	}
	return strings.Join(all, ","), true
}

// literal returns the content of a string, any other value that is neither object
// nor array as it is written, and "" for those.
func literal(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok {
		return l.String()
	}
	return ""
}

func typeOf(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		if strings.ContainsAny(literal(v), ".eE") {
			return "number"
		}
		return "integer"
	case 'n':
		return "null"
	}
	return "boolean"
}

// describe says in an error what v is, where it is not text.
func describe(v hujson.Value) string {
	switch t := typeOf(v); t {
	case "object":
		return "an object"
	case "array":
		return "a list"
	case "string":
		return "text"
	default:
		return clip(literal(v))
	}
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}
