package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/media"
)

// Most bytes of a file, or of the input, that a statement takes in: of text more
// than any model's context, of an image or a document more than any vendor takes.
const (
	maxAttached = 10 << 20
	maxMedia    = 64 << 20
)

// statement puts the person's words and what they attach together: the prompt
// from the arguments, or from the input when there are none or "-" is given,
// then each file.
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
	return a.compose(prompt, files, elsewhere)
}

// compose returns a statement: a prompt, then each file. Images and documents,
// known by their content, go beside the text.
//
// elsewhere tells that the session may live in another directory, where a
// relative path means another file.
func (a *app) compose(prompt string, files []string, elsewhere bool) (ikigai.Event, error) {
	m := ikigai.Message{Kind: ikigai.KindUser, Content: prompt}
	var blobs []ikigai.Blob
	var names strings.Builder
	for _, path := range files {
		raw, kind, err := a.attachment(path)
		if err != nil {
			return ikigai.Event{}, err
		}
		label := a.label(path, elsewhere)
		if kind == "" {
			m.Content += fmt.Sprintf("\n\n[file: %s]\n\n%s", label, raw)
			continue
		}
		part, bytes, err := media.Attach(label, raw)
		if err != nil {
			return ikigai.Event{}, err
		}
		fmt.Fprintf(&names, "\n[%s: %s]", part.Type, label)
		m.Parts, blobs = append(m.Parts, part), append(blobs, bytes...)
		if err := checkAttached(m.Parts); err != nil {
			return ikigai.Event{}, err
		}
	}
	if len(m.Parts) > 1 {
		m.Content += "\n" + names.String() // so that they can be told apart
	}
	event := m.Event()
	event.Blobs = blobs
	return event, nil
}

// checkAttached refuses more images and documents than a request holds: none of
// a statement is left out later.
func checkAttached(parts []ikigai.Part) error {
	var size int64
	for _, p := range parts {
		size += p.Size
	}
	do := "Attach fewer of them, or name the others in the prompt, so that the tools can look into them"
	switch {
	case len(parts) > media.MaxCount:
		return usage(fmt.Sprintf("More than %d images and documents are attached, the most that is sent", media.MaxCount), do)
	case size > media.MaxAttached:
		return usage(fmt.Sprintf("The images and documents up to %s are larger than %d MiB together, the most that is sent",
			parts[len(parts)-1].Name, media.MaxAttached>>20), do)
	}
	return nil
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
	text, err := readText(a.In, "The standard input")
	return strings.TrimRight(text, "\r\n"), err
}

// attachment returns the bytes of a file, "-" is the input, and the MIME type of
// an image or a document; "" for text.
func (a *app) attachment(path string) (raw []byte, kind string, err error) {
	if path == "-" {
		return readAttached(a.In, "The standard input")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", usage(fmt.Sprintf("The file %s cannot be attached: %v", path, err), "Check the path")
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, "", usage("The path "+path+" is a directory", "Attach its files one by one, or name it in the prompt")
	}
	return readAttached(f, "The file "+path)
}

// readAttached reads all of r as what it is.
func readAttached(r io.Reader, what string) (raw []byte, kind string, err error) {
	buffered := bufio.NewReader(r)
	start, _ := buffered.Peek(64) // what there is no more of shows in the reading
	if kind = media.Type(start); kind != "" {
		raw, err = readLimited(buffered, what, maxMedia)
		return raw, kind, err
	}
	text, err := readText(buffered, what)
	return []byte(text), "", err
}

// readText reads all of r as text.
func readText(r io.Reader, what string) (string, error) {
	raw, err := readLimited(r, what, maxAttached)
	if err == nil && (bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw)) {
		return "", usage(what+" is not UTF-8 text", "Name the file in the prompt, so that the tools can look into it")
	}
	return string(raw), err
}

func readLimited(r io.Reader, what string, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, usage(what+" cannot be read: "+err.Error(), "Check where it comes from")
	case int64(len(raw)) > limit:
		return nil, usage(fmt.Sprintf("%s is larger than %d MiB", what, limit>>20),
			"Name the file in the prompt, so that the tools can look into it")
	}
	return raw, nil
}
