package scriptserver

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ikigai"
)

// Parse reads a script in the format that docs/scripts.md describes. The name
// is for error messages, which begin with it and the line; they are *Error
// values.
func Parse(name string, src []byte) (*Script, error) {
	p := &parser{script: &Script{Name: name}}
	if !utf8.Valid(src) {
		return nil, p.fail(1, "The file is not valid UTF-8", "Save it as UTF-8")
	}
	for _, f := range fields(string(bytes.TrimPrefix(src, []byte("\ufeff")))) {
		if err := p.field(f); err != nil {
			return nil, err
		}
	}
	if err := p.endReply(); err != nil {
		return nil, err
	}
	if _, err := compile(p.script); err != nil {
		return nil, err
	}
	return p.script, nil
}

// field is a keyword with its value: the rest of the line, and the lines after
// it that are indented, less the indentation that they have in common.
type field struct {
	line  int
	key   string // "" for a line that is no field
	first string
	block string
}

// value returns first and block as one text.
func (f field) value() string { return joinLines(f.first, f.block) }

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// fields splits the text of a script. Comments and blank lines between fields
// are gone.
func fields(src string) []field {
	var all []field
	var block []string
	end := func() {
		if len(all) > 0 {
			all[len(all)-1].block = dedent(block)
		}
		block = nil
	}
	for i, line := range strings.Split(src, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "" || line[0] == ' ' || line[0] == '\t':
			if len(all) == 0 && line != "" {
				all = append(all, field{line: i + 1, first: strings.TrimSpace(line)})
			}
			block = append(block, line)
		default:
			end()
			all = append(all, newField(i+1, line))
		}
	}
	end()
	return all
}

func newField(line int, text string) field {
	key, value, ok := strings.Cut(text, ":")
	if !ok || strings.ContainsAny(key, " \t") {
		return field{line: line, first: text}
	}
	return field{line: line, key: key, first: strings.Trim(value, " \t")}
}

// dedent joins lines without the white space that begins all of them and
// without empty lines at both ends.
func dedent(lines []string) string {
	common, any := "", false
	for _, l := range lines {
		if l == "" {
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		if !any {
			common, any = indent, true
		}
		for !strings.HasPrefix(indent, common) {
			common = common[:len(common)-1]
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimPrefix(l, common)
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

// parser builds a script from fields.
type parser struct {
	script *Script
	reply  *Reply          // the one being read; nil before the first statement
	seen   map[string]bool // its fields so far
}

func (p *parser) fail(line int, what, do string) error {
	return scriptError(p.script.Name, line, what, do)
}

// scriptError is an error in a script. line may be 0.
func scriptError(name string, line int, what, do string) *ikigai.Error {
	if name == "" {
		name = "script"
	}
	if line > 0 {
		name = fmt.Sprintf("%s:%d", name, line)
	}
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: name + ": " + what, Do: do}
}

// headKeys may stand before the first statement, once describes those that a
// reply has at most once.
var (
	headKeys = []string{"model", "context", "chunk", "delay"}
	allKeys  = []string{
		"user", "side", "reply", "expect", "expect-not", "expect-feedback", "steer", "think", "say", "call", "finish",
		"usage", "repeat", "chunk", "delay", "fault", "model", "context",
	}
	manyKeys = []string{"expect", "expect-not", "expect-feedback", "steer", "call", "fault"}
)

func (p *parser) field(f field) error {
	switch {
	case f.key == "":
		return p.fail(f.line, fmt.Sprintf("%.40q is no field", f.first),
			"Begin the line with a keyword and a colon, or indent it to continue the line above")
	case !slices.Contains(allKeys, f.key):
		return p.fail(f.line, fmt.Sprintf("%.40q is no keyword", f.key), "Use one of "+strings.Join(allKeys, ", "))
	case f.key == "user":
		return p.statement(f)
	case f.key == "side":
		return p.side(f)
	case f.key == "reply":
		return p.nextReply(f)
	case p.reply == nil && !slices.Contains(headKeys, f.key):
		return p.fail(f.line, f.key+": stands before the first statement", "Put a user: line above it")
	case p.reply != nil && (f.key == "model" || f.key == "context"):
		return p.fail(f.line, f.key+": stands in a statement", "Put it above the first user: line")
	}
	if p.seen[f.key] && !slices.Contains(manyKeys, f.key) {
		return p.fail(f.line, "A second "+f.key+": in one reply", "Continue the first with indented lines, or begin another reply with reply:")
	}
	p.see(f.key)
	if p.reply == nil {
		return p.head(f)
	}
	return p.part(f)
}

func (p *parser) see(key string) {
	if p.seen == nil {
		p.seen = make(map[string]bool)
	}
	p.seen[key] = true
}

func (p *parser) statement(f field) error {
	if f.value() == "" {
		return p.fail(f.line, "user: has no text", "Write what the person says, a /regular expression/ or *")
	}
	return p.open(Statement{Line: f.line, User: Pattern(f.value())})
}

func (p *parser) side(f field) error {
	name, text := firstWord(f)
	if !Plays(ikigai.Purpose(name)) {
		return p.fail(f.line, fmt.Sprintf("side: %.40q is no purpose", name), "Write one of "+knownPurposes())
	}
	if text == "" {
		text = "*"
	}
	return p.open(Statement{Line: f.line, Side: ikigai.Purpose(name), User: Pattern(text)})
}

// open begins a statement and its first reply.
func (p *parser) open(st Statement) error {
	if err := p.endReply(); err != nil {
		return err
	}
	p.script.All = append(p.script.All, st)
	p.begin(st.Line)
	return nil
}

// firstWord returns the first word of a field and the rest of its value.
func firstWord(f field) (word, rest string) {
	word = f.first
	if i := strings.IndexAny(word, " \t"); i >= 0 {
		word, rest = word[:i], word[i:]
	}
	return word, joinLines(strings.Trim(rest, " \t"), f.block)
}

func (p *parser) nextReply(f field) error {
	if p.reply == nil {
		return p.fail(f.line, "reply: stands before the first statement", "Put a user: line above it")
	}
	if f.value() != "" {
		return p.fail(f.line, "reply: has a value", "Put the text on a line of its own that begins with say:")
	}
	if err := p.endReply(); err != nil {
		return err
	}
	p.begin(f.line)
	return nil
}

func (p *parser) begin(line int) {
	p.reply, p.seen = &Reply{Line: line}, nil
}

// endReply adds the reply that was read to its statement.
func (p *parser) endReply() error {
	if p.reply == nil {
		return nil
	}
	if !p.seen["say"] && !p.seen["think"] && !p.seen["call"] && !p.seen["fault"] {
		return p.fail(p.reply.Line, "The reply that begins here says nothing",
			"Give it a say:, think:, call: or fault: line; the first reply of a statement begins with user:, without reply:")
	}
	st := &p.script.All[len(p.script.All)-1]
	st.Replies = append(st.Replies, *p.reply)
	return nil
}

// head reads a field that stands before the first statement.
func (p *parser) head(f field) (err error) {
	switch f.key {
	case "model":
		p.script.Model, err = p.word(f, "the name that the model reports")
	case "context":
		p.script.Context, err = p.number(f, "how many tokens a request may have", 1)
	case "chunk":
		p.script.Chunk, err = p.chunk(f)
	case "delay":
		p.script.Delay, err = p.delay(f)
	}
	return err
}

// part reads a field of a reply.
func (p *parser) part(f field) (err error) {
	r := p.reply
	switch f.key {
	case "expect", "expect-not", "expect-feedback", "steer":
		err = p.expect(f)
	case "think":
		r.Think = f.value()
	case "say":
		r.Say = f.value()
	case "call":
		err = p.call(f)
	case "finish":
		r.Finish, err = p.word(f, "a finish reason such as length")
	case "usage":
		err = p.usage(f)
	case "repeat":
		r.Repeat, err = p.number(f, "how many replies this one stands for", 1)
	case "chunk":
		r.Chunk, err = p.chunk(f)
	case "delay":
		r.Delay, err = p.delay(f)
	case "fault":
		err = p.fault(f)
	}
	return err
}

func (p *parser) expect(f field) error {
	if f.value() == "" {
		return p.fail(f.line, f.key+": has no text", "Write a part of the results or a /regular expression/")
	}
	to := &p.reply.Expect
	switch f.key {
	case "expect-not":
		to = &p.reply.ExpectNot
	case "expect-feedback":
		to = &p.reply.ExpectFeedback
	case "steer":
		to = &p.reply.Steer
	}
	*to = append(*to, Pattern(f.value()))
	return nil
}

func (p *parser) call(f field) error {
	name, arguments := firstWord(f)
	if name == "" {
		return p.fail(f.line, "call: names no tool", `Write call: NAME ARGUMENTS, as in call: bash {"command": "ls"}`)
	}
	p.reply.Calls = append(p.reply.Calls, Call{Name: name, Arguments: arguments})
	return nil
}

func (p *parser) word(f field, what string) (string, error) {
	v := f.value()
	if v == "" || strings.ContainsAny(v, " \t\n") {
		return "", p.fail(f.line, f.key+": is not one word", "Write "+what)
	}
	return v, nil
}

func (p *parser) number(f field, what string, least int) (int, error) {
	n, err := strconv.Atoi(f.value())
	if err != nil || n < least {
		return 0, p.fail(f.line, fmt.Sprintf("%s: %.40q is no number from %d on", f.key, f.value(), least), "Write "+what)
	}
	return n, nil
}

func (p *parser) chunk(f field) (int, error) {
	if f.value() == "all" {
		return -1, nil
	}
	return p.number(f, "the bytes of text in a delta, or all", 1)
}

func (p *parser) delay(f field) (*Delay, error) {
	words := strings.Fields(f.value())
	d := make([]time.Duration, 2)
	ok := len(words) == 1 || len(words) == 2
	for i := 0; ok && i < len(words); i++ {
		var err error
		d[i], err = time.ParseDuration(words[i])
		ok = err == nil && d[i] >= 0
	}
	if !ok {
		return nil, p.fail(f.line, fmt.Sprintf("delay: %.40q is no duration", f.value()),
			"Write one before the reply and, if wanted, one between deltas, as in delay: 300ms 20ms")
	}
	return &Delay{First: d[0], Between: d[1]}, nil
}

func (p *parser) usage(f field) error {
	if f.value() == "none" {
		p.reply.NoUsage = true
		return nil
	}
	u := new(ikigai.Usage)
	numbers := map[string]*int64{"input": &u.Input, "output": &u.Output, "cached": &u.CacheRead, "reasoning": &u.Reasoning}
	words := strings.Fields(f.value())
	ok := len(words) > 0 && len(words)%2 == 0
	for i := 0; ok && i < len(words); i += 2 {
		to := numbers[words[i]]
		n, err := strconv.ParseInt(words[i+1], 10, 64)
		if ok = to != nil && err == nil && n >= 0; ok {
			*to = n
		}
	}
	if !ok {
		return p.fail(f.line, fmt.Sprintf("usage: %.40q is not understood", f.value()),
			"Write none, or numbers of tokens as in usage: input 120 output 30 cached 100 reasoning 10")
	}
	p.reply.Usage = u
	return nil
}

func (p *parser) fault(f field) error {
	words := strings.Fields(f.first)
	ft := Fault{Detail: f.block}
	numbers := map[string]*int{"after": &ft.After, "times": &ft.Times}
	ok := len(words) > 0
	if ok {
		ft.Kind = FaultKind(words[0])
		words = words[1:]
	}
	if ft.Kind == FaultStatus {
		words = append([]string{"status"}, words...)
		numbers["status"] = &ft.Status
		delete(numbers, "after")
	}
	ok = ok && len(words)%2 == 0
	for i := 0; ok && i < len(words); i += 2 {
		to := numbers[words[i]]
		n, err := strconv.Atoi(words[i+1])
		if ok = to != nil && err == nil && n > 0; ok {
			*to = n
		}
	}
	if !ok {
		return p.fail(f.line, fmt.Sprintf("fault: %.60q is not understood", f.first),
			"Write a fault and, if wanted, after N and times N, as in fault: status 429 times 2 or fault: cut after 3")
	}
	p.reply.Faults = append(p.reply.Faults, ft)
	return nil
}
