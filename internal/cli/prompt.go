package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// maxAttached is the most bytes of a file, or of the input, that a statement
// takes in: more than any model's context.
const maxAttached = 10 << 20

// statement puts the person's words and what they attach together: the prompt
// from the arguments, or from the input when there are none or "-" is given,
// then each file.
//
// elsewhere tells that the session may live in another directory, where a
// relative path means another file.
func (a *app) statement(args, files []string, elsewhere bool) (ikigai.Event, error) {
	prompt := strings.Join(args, " ")
	fromInput := len(args) == 0 || prompt == "-"
	if wanted := count(files, "-"); wanted > 1 || wanted == 1 && fromInput {
		return ikigai.Event{}, usage("The standard input is wanted twice", "Give the prompt as an argument, and --file - once")
	}
	if fromInput {
		text, err := a.promptFromInput()
		if err != nil {
			return ikigai.Event{}, err
		}
		prompt = text
	}
	if strings.TrimSpace(prompt) == "" {
		return ikigai.Event{}, usage("The prompt is empty", "Say what you want, as in: ikigai run \"What does this project do?\"")
	}
	var b strings.Builder
	b.WriteString(prompt)
	for _, path := range files {
		content, err := a.attachment(path)
		if err != nil {
			return ikigai.Event{}, err
		}
		fmt.Fprintf(&b, "\n\n[file: %s]\n\n%s", a.label(path, elsewhere), content)
	}
	return ikigai.NewEvent(ikigai.KindUser, b.String(), nil), nil
}

// label returns how the model is told of a file.
func (a *app) label(path string, elsewhere bool) string {
	if path == "-" {
		return "standard input"
	}
	if elsewhere && !filepath.IsAbs(path) {
		return filepath.Join(a.dir, path)
	}
	return path
}

func count(all []string, s string) int {
	n := 0
	for _, v := range all {
		if v == s {
			n++
		}
	}
	return n
}

func (a *app) promptFromInput() (string, error) {
	if a.inputIsTerminal() {
		return "", usage("There is no prompt", "Say what you want, as in: ikigai run \"What does this project do?\"")
	}
	text, err := readLimited(a.In, "The standard input")
	return strings.TrimRight(text, "\r\n"), err
}

// attachment returns the text of a file; "-" is the input.
func (a *app) attachment(path string) (string, error) {
	if path == "-" {
		return readLimited(a.In, "The standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", usage(fmt.Sprintf("The file %s cannot be attached: %v", path, err), "Check the path")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return "", usage("The path "+path+" is a directory", "Attach its files one by one, or name it in the prompt")
	}
	return readLimited(f, "The file "+path)
}

// readLimited reads all of r as text.
func readLimited(r io.Reader, what string) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(r, maxAttached+1))
	switch {
	case err != nil:
		return "", usage(what+" cannot be read: "+err.Error(), "Check where it comes from")
	case len(raw) > maxAttached:
		return "", usage(fmt.Sprintf("%s is larger than %d MiB", what, maxAttached>>20),
			"Name the file in the prompt, so that the tools can look into it")
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		return "", usage(what+" is not UTF-8 text", "Name the file in the prompt, so that the tools can look into it")
	}
	return string(raw), nil
}
