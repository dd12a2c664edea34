package cli

import (
	"path"
	"slices"
	"strings"
)

// suggestCommand returns the pattern of a rule for commands like the one of c: the
// program and what it is to do, with anything behind it, where that only tells
// something or makes what is empty. Of all others it is the command itself: most
// programs can be told to run another one, or to write anywhere, by what stands
// behind their name (go test -exec, git log --output), and a person who knows what
// they allow can put a * there. It is "" for what is no simple command.
func suggestCommand(c ruledCall) string {
	in, ok := rawArgs[struct {
		Command string `json:"command"`
	}](c.args)
	if !ok {
		return ""
	}
	words, ok := shellWords(in.Command)
	if !ok || slices.ContainsFunc(words, word.hasGlob) {
		return ""
	}
	keep := harmlessFrom(words)
	var b strings.Builder
	for _, w := range words[:min(keep, len(words))] {
		b.WriteString(shellQuoted(w) + " ")
	}
	if keep <= len(words) {
		b.WriteString("*")
	}
	return strings.TrimSpace(b.String())
}

// harmlessFrom returns how many words say what a command does, behind which any
// others do no harm; more than there are if some could.
func harmlessFrom(words []word) int {
	switch program := string(words[0]); {
	case slices.Contains(harmless(), program):
		return 1
	case len(words) > 1 && program == "git" && slices.Contains(harmlessInGit(), string(words[1])):
		return 2
	}
	return len(words) + 1
}

// harmless returns programs that neither run others nor write into files, whatever
// options they are given.
func harmless() []string {
	return []string{"basename", "cat", "cmp", "comm", "cut", "df", "diff", "dirname", "du", "echo", "false", "grep", "head", "id", "ls",
		"md5sum", "mkdir", "nl", "printf", "pwd", "readlink", "realpath", "seq", "sha256sum", "sleep", "stat", "tail", "touch", "tr", "true",
		"uname", "wc", "which", "whoami"}
}

// harmlessInGit returns what git can be told to do likewise. Not log, diff and show,
// which take --output and --ext-diff, and not grep, which takes -O.
func harmlessInGit() []string {
	return []string{"add", "blame", "describe", "ls-files", "rev-parse", "status"}
}

// shellQuoted returns a word, in which no wildcard stands, as a pattern has it.
func shellQuoted(w word) string {
	text := string(w)
	if l := (shellLexer{rest: text}); text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=@%+^") == "" && l.next() {
		return text
	}
	if strings.Contains(text, "'") {
		return `"` + text + `"`
	}
	return "'" + text + "'"
}

// suggestFile returns the pattern of a rule for the very file of c; "" where it lies
// outside of the directory, or its name would be read as a pattern of others.
func suggestFile(c ruledCall) string {
	name, ok := c.path()
	if !ok || strings.Contains(name, "*") {
		return ""
	}
	return name
}

// suggestFiles returns the pattern of a rule for the files beside the one of c; ""
// where it lies outside of the directory. It does not fit a hidden one.
func suggestFiles(c ruledCall) string {
	name, ok := c.path()
	if !ok {
		return ""
	}
	dir := path.Dir(name)
	if dir == "." {
		return "*"
	}
	return dir + "/*"
}
