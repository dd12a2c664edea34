package knowledge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// errNoHead is the error of a text that has no frontmatter.
var errNoHead = errors.New("it does not begin with a line ---, properties, and another line ---")

// frontmatter returns the properties at the head of a text: text of one or more
// lines, plain, in quotes, or as a block behind | or >, as YAML has them. Whatever
// else a value can be (lists, objects) is passed over, except that one of names
// must be text: then, or where the head is not what YAML looks like, the error says
// so with the number of the line.
func frontmatter(text string, names ...string) (map[string]string, error) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, errNoHead
	}
	end := 1
	for ; end < len(lines); end++ {
		if rule := strings.TrimRight(lines[end], " \t"); rule == "---" || rule == "..." {
			break
		}
	}
	if end == len(lines) {
		return nil, errNoHead
	}
	h := head{lines: lines[:end], at: 1, wanted: names, found: map[string]string{}}
	for h.at < len(h.lines) {
		if err := h.property(); err != nil {
			return nil, err
		}
	}
	return h.found, nil
}

// head is what is read of a frontmatter.
type head struct {
	lines  []string
	at     int // the next line
	wanted []string
	found  map[string]string
}

// property reads one property with the lines that belong to it.
func (h *head) property() error {
	number, line := h.at+1, h.lines[h.at]
	h.at++
	if blank(line) {
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	name = strings.Trim(strings.TrimRight(name, " "), `"'`)
	switch {
	case line[0] == ' ' || line[0] == '\t' || line[0] == '-':
		return fmt.Errorf("line %d stands in no property", number)
	case !ok || name == "" || value != "" && value[0] != ' ' && value[0] != '\t':
		return fmt.Errorf("line %d is not of the form name: value", number)
	}
	more := h.indented()
	if !h.wants(name) {
		return nil
	}
	if _, twice := h.found[name]; twice {
		return fmt.Errorf("line %d names %s a second time", number, name)
	}
	text, err := scalar(strings.Trim(value, " \t"), more)
	if err != nil {
		return fmt.Errorf("%s in line %d %w", name, number, err)
	}
	h.found[name] = text
	return nil
}

func (h *head) wants(name string) bool {
	for _, wanted := range h.wanted {
		if name == wanted {
			return true
		}
	}
	return false
}

// indented takes the lines that belong to the property before them. Items of a list
// need not be indented.
func (h *head) indented() []string {
	start := h.at
	for h.at < len(h.lines) {
		line := h.lines[h.at]
		if line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '\r' && line != "-" && !strings.HasPrefix(line, "- ") {
			break
		}
		h.at++
	}
	return h.lines[start:h.at]
}

func blank(line string) bool {
	line = strings.TrimLeft(line, " \t\r")
	return line == "" || line[0] == '#'
}

// scalar returns the text that a value and the lines after it are.
func scalar(value string, more []string) (string, error) {
	if value == "" || value[0] == '#' {
		value, more = firstOf(more)
	}
	if value == "" {
		return "", nil
	}
	switch value[0] {
	case '|', '>':
		return block(value, more)
	case '"', '\'':
		return quoted(folded(value, more))
	case '[', '{', '&', '*', '!', '%', '@', '`':
		return "", errors.New("is no plain text; put it in quotes")
	}
	if value == "-" || value == "?" || strings.HasPrefix(value, "- ") || strings.HasPrefix(value, "? ") {
		return "", errors.New("is no plain text; put it in quotes")
	}
	for i, line := range more {
		more[i] = withoutComment(line)
	}
	text := folded(withoutComment(value), more)
	if strings.Contains(text, ": ") || strings.HasSuffix(text, ":") {
		return "", errors.New("holds a colon; put it in quotes")
	}
	return text, nil
}

// firstOf returns the first of lines that is not blank, and those after it.
func firstOf(lines []string) (string, []string) {
	for i, line := range lines {
		if !blank(line) {
			return strings.Trim(line, " \t\r"), lines[i+1:]
		}
	}
	return "", nil
}

func withoutComment(line string) string {
	if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
		return ""
	}
	before, _, _ := strings.Cut(line, " #")
	return strings.TrimRight(before, " \t\r")
}

// folded joins lines as YAML folds them: a line break becomes a blank, an empty
// line a line break.
func folded(first string, more []string) string {
	var b strings.Builder
	b.WriteString(first)
	breaks := 0
	for _, line := range more {
		line = strings.Trim(line, " \t\r")
		if line == "" {
			breaks++
			continue
		}
		if breaks == 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat("\n", breaks) + line)
		breaks = 0
	}
	return b.String()
}

// quoted returns what a text in quotes says.
func quoted(text string) (string, error) {
	unclosed := errors.New("has no quote at its end")
	mark := text[0]
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != mark && (mark != '"' || text[i] != '\\'):
			b.WriteByte(text[i])
		case mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			b.WriteByte(mark)
			i++
		case text[i] == mark:
			if !blank(text[i+1:]) {
				return "", errors.New("goes on behind its quote")
			}
			return b.String(), nil
		default:
			n, err := escape(&b, text[i+1:])
			if err != nil {
				return "", err
			}
			i += n
		}
	}
	return "", unclosed
}

// escape writes what the escape says that text begins with, without its backslash,
// and returns its length.
func escape(b *strings.Builder, text string) (int, error) {
	unknown := errors.New("holds a backslash that means nothing; double it")
	if text == "" {
		return 0, unknown
	}
	if i := strings.IndexByte(`"\/ntr `, text[0]); i >= 0 {
		b.WriteByte("\"\\/\n\t\r "[i])
		return 1, nil
	}
	length := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[0]]
	if length == 0 || len(text) <= length {
		return 0, unknown
	}
	r, err := strconv.ParseUint(text[1:1+length], 16, 32)
	if err != nil {
		return 0, unknown
	}
	b.WriteRune(rune(r))
	return 1 + length, nil
}

// block returns the text of a block: its lines as they are behind |, folded behind
// >. Line breaks at the end do not count, whatever the header says of them.
func block(header string, lines []string) (string, error) {
	style := header[0]
	rest, _, _ := strings.Cut(header[1:], "#")
	if rest = strings.TrimSpace(rest); len(rest) > 2 || strings.Trim(rest, "+-123456789") != "" {
		return "", fmt.Errorf("begins with %s, which begins no block; put it in quotes", header)
	}
	indent := 0
	for _, line := range lines {
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" {
			indent = len(line) - len(trimmed)
			break
		}
	}
	text := make([]string, len(lines))
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		if trimmed != "" && len(line)-len(trimmed) < indent {
			return "", errors.New("has a line that stands too far left")
		}
		text[i] = line[min(indent, len(line)):]
	}
	if style == '>' {
		return strings.Trim(folded("", text), " \n"), nil
	}
	return strings.Trim(strings.Join(text, "\n"), "\n"), nil
}
