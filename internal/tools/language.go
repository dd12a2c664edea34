package tools

import (
	"bytes"
	"path/filepath"
	"strings"
)

// languageOf returns the name of the language that a file is written in, by its
// name or by the first line of a script; "" if it is not known.
func languageOf(path string, head []byte) string {
	name := strings.ToLower(filepath.Base(path))
	switch name {
	case "makefile", "gnumakefile":
		return "make"
	case "dockerfile", "containerfile":
		return "dockerfile"
	case "go.mod", "go.sum":
		return "go-module"
	case "rakefile", "gemfile":
		return "ruby"
	case "cmakelists.txt":
		return "cmake"
	}
	if l := languageOfExtension(strings.TrimPrefix(filepath.Ext(name), ".")); l != "" {
		return l
	}
	return languageOfScript(head)
}

func languageOfExtension(ext string) string {
	switch ext {
	case "c", "h":
		return "c"
	case "cc", "cpp", "cxx", "hh", "hpp", "hxx":
		return "cpp"
	case "cs":
		return "csharp"
	case "ex", "exs":
		return "elixir"
	case "hs":
		return "haskell"
	case "htm", "html":
		return "html"
	case "js", "cjs", "mjs", "jsx":
		return "javascript"
	case "jl":
		return "julia"
	case "json", "jsonc":
		return "json"
	case "kt", "kts":
		return "kotlin"
	case "md", "markdown":
		return "markdown"
	case "ml", "mli":
		return "ocaml"
	case "mk":
		return "make"
	case "pl", "pm":
		return "perl"
	case "proto":
		return "protobuf"
	case "ps1":
		return "powershell"
	case "py", "pyi":
		return "python"
	case "rb":
		return "ruby"
	case "rs":
		return "rust"
	case "sh", "bash", "zsh":
		return "shell"
	case "tf":
		return "terraform"
	case "ts", "cts", "mts", "tsx":
		return "typescript"
	case "yaml", "yml":
		return "yaml"
	case "clj", "css", "csv", "dart", "diff", "elm", "erl", "go", "gradle", "graphql", "groovy", "ini", "java", "less", "lua", "nim", "nix", "php",
		"r", "scala", "scss", "sql", "svelte", "swift", "tex", "toml", "vim", "vue", "xml", "zig":
		return ext
	}
	return ""
}

// languageOfScript returns the language of a file that begins with "#!".
func languageOfScript(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	words := strings.Fields(string(rest))
	if !ok || len(words) == 0 {
		return ""
	}
	program := filepath.Base(words[0])
	for _, word := range words[1:] {
		if program != "env" {
			break
		}
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			program = word
		}
	}
	switch program = strings.TrimRight(program, "0123456789."); program {
	case "sh", "bash", "dash", "ksh", "zsh":
		return "shell"
	case "node", "deno", "bun":
		return "javascript"
	case "perl", "php", "python", "ruby", "lua", "fish", "awk":
		return program
	}
	return ""
}
