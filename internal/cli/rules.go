package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// rule allows calls of a tool without asking: all of them, or those that fit a
// pattern.
//
// bash(PATTERN) fits one simple command in the directory of the session, word by
// word; see words. A * that is a word of its own stands for any word and, at the
// end, for any number of them.
//
// file_edit(PATTERN) and file_write(PATTERN) fit a file below the directory, by
// the path that it really has, symbolic links followed.
//
// In other words of a pattern, and in paths, * stands for any characters of a name
// and ** for any number of names. Neither fits a name that begins with a dot, nor
// do they make a word an option.
type rule struct {
	text    string
	tool    string
	pattern pattern // nil fits all calls
}

// pattern is what calls of a tool must fit.
type pattern interface {
	fits(ruledCall) bool
}

// ruledCall is a call as rules see it.
type ruledCall struct {
	name    string
	args    json.RawMessage // as they would run
	builtin bool            // the tool is the program's own
	dir     string          // working directory, absolute
	home    string          // of the person; "" if it is not known
}

// parseRule reads a rule. The error is an *ikigai.Error of kind usage.
func parseRule(text string) (rule, error) {
	text = strings.TrimSpace(text)
	name, rest, hasPattern := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	r := rule{text: text, tool: name}
	if !isToolName(name) {
		return r, noRule(text, "Write a tool's name, or tool(PATTERN) as in bash(go test *)")
	}
	if !hasPattern {
		return r, nil
	}
	inner, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return r, noRule(text, "Close it with )")
	}
	var do string
	switch name {
	case "bash":
		r.pattern, do = parseCommandPattern(inner)
	case "file_edit", "file_write":
		r.pattern, do = parsePathPattern(inner)
	default:
		do = "Only bash, file_edit and file_write take a pattern; write " + name + " alone"
	}
	if do != "" {
		return r, noRule(text, do)
	}
	return r, nil
}

func noRule(text, do string) error {
	return usage(fmt.Sprintf("%q is no rule", inOneLine(text)), do)
}

// isToolName reports whether text can be the name of a tool.
func isToolName(text string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	return text != "" && len(text) <= 64 && strings.Trim(text, letters) == ""
}

// allows reports whether the rule lets the call run.
func (r rule) allows(c ruledCall) bool {
	if r.tool == "" || r.tool != c.name {
		return false
	}
	return r.pattern == nil || c.builtin && r.pattern.fits(c)
}

// suggestRule returns a rule that fits the call, and others as far as they do no more
// than it does, for the person to look at and to widen; "" if there is none.
func suggestRule(c ruledCall) string { return c.rule(suggestFile) }

// likeRule returns a rule that fits the call and those like it, to hold while the
// session is open; "" if there is none.
func likeRule(c ruledCall) string { return c.rule(suggestFiles) }

// rule returns a rule that fits the call, "" if there is none. files returns the
// pattern for a call that changes a file.
func (c ruledCall) rule(files func(ruledCall) string) string {
	var inner string
	switch {
	case !c.builtin:
		return c.name
	case c.name == "bash":
		inner = suggestCommand(c)
	case c.name == "file_edit", c.name == "file_write":
		inner = files(c)
	default:
		return c.name
	}
	if inner == "" {
		return ""
	}
	text := c.name + "(" + inner + ")"
	if r, err := parseRule(text); err != nil || !r.allows(c) {
		return ""
	}
	return text
}

// rulesHere returns the rules that hold in the working directory, those of the
// settings first, and what is wrong with others.
func (a *app) rulesHere() (all []rule, faults []string) {
	for _, text := range a.settings.Allow {
		r, err := parseRule(text)
		if err != nil {
			faults = append(faults, err.Error()+" It is passed over; it stands in "+a.settings.Origin("allow")+".")
			continue
		}
		all = append(all, r)
	}
	saved, err := a.ruleBook().of(a.dir)
	if err != nil {
		faults = append(faults, err.Error())
	}
	for _, s := range saved {
		if r, err := parseRule(s.Rule); err == nil { // a newer version may know more
			all = append(all, r)
		}
	}
	return all, faults
}
