package cli

import (
	"path"
	"slices"
	"strings"
)

// suggestCommand returns the pattern of a rule for commands like the one of c: the
// program and what it is to do, with anything behind it. Where a program can do
// anything with what stands behind it, the pattern is the command itself. It is ""
// for what is no simple command.
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
	keep := toldBy(words)
	var b strings.Builder
	for _, w := range words[:max(keep, -keep)] {
		b.WriteString(shellQuoted(w) + " ")
	}
	if keep > 0 {
		b.WriteString("*")
	}
	return strings.TrimSpace(b.String())
}

// toldBy returns how many words say what a command does, as far as others may
// follow; negative if none may.
func toldBy(words []word) int {
	program := string(words[0])
	switch {
	case doesAnything(program):
	case !hasVerbs(program):
		return 1
	case len(words) > 2 && runsScripts(program) && string(words[1]) == "run":
		return 3
	case len(words) > 1 && isVerb(words[1]):
		return 2
	}
	return -len(words)
}

// doesAnything reports whether a program can be told to do anything, run any other
// or destroy what it is not meant to.
func doesAnything(program string) bool {
	switch name := path.Base(program); name {
	case "sh", "bash", "dash", "zsh", "fish", "env", "sudo", "doas", "su", "xargs", "eval", "exec", "source", ".", "command", "builtin",
		"ssh", "find", "awk", "gawk", "sed", "node", "perl", "ruby", "php", "lua", "curl", "wget", "nohup", "nice", "timeout", "watch",
		"tee", "rm", "mv", "cp", "dd", "ln", "chmod", "chown", "kill", "pkill", "killall", "trap", "tar", "rsync", "scp", "vi", "vim", "nvim", "emacs", "ed", "ex":
		return true
	default:
		return strings.Contains(program, "/") || strings.HasPrefix(name, "python")
	}
}

// hasVerbs reports whether the first argument of a program says what it is to do.
func hasVerbs(program string) bool {
	return slices.Contains([]string{"git", "go", "cargo", "npm", "pnpm", "yarn", "bun", "deno", "pip", "pip3", "uv", "poetry", "docker", "podman",
		"kubectl", "helm", "terraform", "make", "just", "gh", "brew", "apt", "apt-get", "dotnet", "mvn", "gradle", "bundle", "gem", "mix", "systemctl"}, program)
}

// runsScripts reports whether a program has `run NAME`.
func runsScripts(program string) bool {
	return slices.Contains([]string{"npm", "pnpm", "yarn", "bun", "deno", "uv", "poetry"}, program)
}

// isVerb reports whether w looks like what a program is to do.
func isVerb(w word) bool {
	for _, r := range w {
		if (r < 'a' || 'z' < r) && r != '-' {
			return false
		}
	}
	return len(w) > 0 && w[0] != '-'
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

// suggestPath returns the pattern of a rule for the files beside the one of c; ""
// where it lies outside of the directory, or hidden.
func suggestPath(c ruledCall) string {
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
