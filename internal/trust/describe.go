package trust

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// Most lines that settings are described with, and most bytes of each, and of the
// names of objects in each other.
const (
	maxLines = 200
	maxLine  = 300
	maxKey   = 8 * maxLine
)

const noJSON = "what cannot be read as JSON"

// Readable reports whether the item is none of settings or servers that cannot be
// read as JSON: those do nothing, whatever was decided.
func (i Item) Readable() bool { return len(i.Does) != 1 || i.Does[0] != noJSON }

// settingsDo says what a file of settings sets, a line for each value: its name
// with the names of the objects around it, and the value as it is written. It
// leaves nothing out but comments, and says so where there is too much.
func settingsDo(content []byte) []string {
	if hujson.Extra(append(bytes.Clone(content), '\n')).IsValid() {
		return nil
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return []string{noJSON}
	}
	var lines []string
	describe("", root, &lines)
	return lines
}

func describe(key string, v hujson.Value, lines *[]string) {
	if len(*lines) >= maxLines {
		(*lines)[maxLines-1] = "and more"
		return
	}
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 || len(key) > maxKey {
		v = v.Clone()
		v.Minimize()
		*lines = append(*lines, cut(key+" = "+v.String()))
		return
	}
	for _, m := range object.Members {
		name := m.Name.Value.(hujson.Literal).String()
		if key != "" {
			name = key + "." + name
		}
		describe(name, m.Value, lines)
	}
}

func cut(line string) string {
	if len(line) <= maxLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxLine], "") + "…"
}
