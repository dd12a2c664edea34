package editor

import (
	"net/url"
	"path/filepath"
	"strings"
)

// paste takes in what was pasted: paths of images as such, what is long as a
// chip.
func (e *Editor) paste(text string) {
	e.changes.next()
	if images := e.images(text); len(images) > 0 {
		e.insertImages(images)
		return
	}
	text = clean(text)
	if long(text) {
		if c, ok := e.pasteChip(text); ok {
			text = c
		}
	}
	e.edit(e.cursor, e.cursor, text)
}

func (e *Editor) insertImages(paths []string) {
	for i, path := range paths {
		c, ok := e.imageChip(path, filepath.Base(path))
		if !ok {
			c = clean(quote(path))
		}
		if i > 0 {
			c = " " + c
		}
		e.edit(e.cursor, e.cursor, c)
	}
}

// mostPath bounds what is looked at as paths, in bytes.
const mostPath = 8 << 10

// images returns the paths that text consists of, as a terminal writes files that
// are dragged into it. It returns none unless all of them are images.
func (e *Editor) images(text string) []string {
	if !e.attaches() || len(text) > mostPath {
		return nil
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if path := fromURL(text); !strings.Contains(path, "\n") && e.config.Image(path) {
		return []string{path} // with spaces in it, and nothing to show that they are
	}
	paths, ok := words(text)
	if !ok {
		return nil
	}
	for i, p := range paths {
		paths[i] = fromURL(p)
		if !e.config.Image(paths[i]) {
			return nil
		}
	}
	return paths
}

// attaches reports whether images go along with the text. A command, whose first word
// is no path, is about their paths.
func (e *Editor) attaches() bool {
	first := e.text
	if i := strings.IndexAny(first, " \t\n"); i >= 0 {
		first = first[:i]
	}
	command := strings.HasPrefix(first, "!") || strings.HasPrefix(first, "/") && strings.Count(first, "/") == 1
	return e.config.Image != nil && !command
}

// fromURL returns the path of a URL of a file on this machine, and any other
// path as it is.
func fromURL(path string) string {
	if !strings.HasPrefix(path, "file:") {
		return path
	}
	u, err := url.Parse(path)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return path
	}
	return u.Path
}

// words returns the words of text as a shell reads them: parted by spaces,
// quoted with ' or ", escaped with \. It is false if a quote has no end.
func words(text string) (all []string, ok bool) {
	var word strings.Builder
	within, quoted := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted != 0 && c == quoted:
			quoted = 0
		case c == '\\' && quoted != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			within = true
		case quoted != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quoted, within = c, true
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			if within {
				all = append(all, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteByte(c)
			within = true
		}
	}
	if within {
		all = append(all, word.String())
	}
	return all, quoted == 0
}

// quote returns path as a shell reads it as one word.
func quote(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
