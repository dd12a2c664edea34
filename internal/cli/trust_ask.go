package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/delegate"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/tools"
	"ikigai/internal/trust"
)

// canAsk reports whether a person sees questions and can answer them.
func (a *app) canAsk() bool {
	_, seen := terminal(a.Err)
	return seen && a.inputIsTerminal()
}

// askTrust asks about what a project brings. A clear answer is remembered; any
// other leaves it untrusted for now, and is what a person wants to say who types
// statements.
func (a *app) askTrust(t *projectTrust) error {
	a.showProject(a.Err, *t)
	if f, ok := a.In.(*os.File); ok {
		forgetInput(f.Fd()) // typed before the question could be read
	}
	lines := bufio.NewReader(a.In)
	for {
		fmt.Fprint(a.Err, "Trust it? [y = yes, n = never as it is, v = view, Enter = not now] ")
		answer, err := lines.ReadString('\n')
		if err != nil {
			fmt.Fprintln(a.Err)
			return nil
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			t.allowed = true
			return a.decide(t)
		case "n", "no", "never":
			return a.decide(t)
		case "v", "view":
			a.showContents(a.Err, t.project)
		default:
			if a.trusting.typed {
				a.ahead = strings.TrimSpace(answer)
			}
			return nil
		}
	}
}

// decide records what the person has said.
func (a *app) decide(t *projectTrust) error {
	b := book(a.input())
	if b == nil {
		return usage("There is no home directory to keep the decision in", "Set HOME")
	}
	if err := b.Decide(t.project, t.allowed); err != nil {
		return usage("The decision cannot be kept: "+err.Error(), "Check "+b.Path())
	}
	last, _, err := b.Last(t.project.Dir)
	t.last, t.since = last, last.Time
	return err
}

// showProject shows what a project brings: settings and servers by what they say,
// tools by name and size, and what has changed.
func (a *app) showProject(w io.Writer, t projectTrust) {
	p := t.project
	fmt.Fprintf(w, "The project in %s brings what can act here:\n\n", inOneLine(p.Dir))
	how := map[string]string{}
	if t.last.Dir != "" {
		for _, c := range t.last.Changes(p) {
			how[c.Path] = c.How
		}
	}
	width := a.widest(p.Items)
	for n, i := range p.Items {
		if n == mostItems {
			fmt.Fprintf(w, "  and %d more\n", len(p.Items)-n)
			break
		}
		line := fmt.Sprintf("  %-12s %-*s %8s  %s", words(i.Kind), width, a.shownName(i), render.Bytes(i.Size), remarks(i, how[i.Path]))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
		for _, line := range i.Does {
			fmt.Fprintf(w, "  %-12s %s\n", "", a.safe(line))
		}
	}
	a.showGone(w, how)
	fmt.Fprintln(w)
	if t.last.Dir != "" && len(how) > 0 {
		said := "did not trust"
		if t.last.Trusted {
			said = "trusted"
		}
		fmt.Fprintf(w, "You %s what it brought on %s; it has changed since.\n", said, t.last.Time.Time().Format(time.DateTime))
	}
}

// showGone shows what was there when the person decided.
func (a *app) showGone(w io.Writer, how map[string]string) {
	shown := 0
	for _, path := range slices.Sorted(maps.Keys(how)) {
		switch {
		case how[path] != "gone":
			continue
		case shown == mostItems:
			fmt.Fprintf(w, "  and more that is gone\n")
			return
		}
		shown++
		fmt.Fprintf(w, "  %-12s %s\n", "gone", cutMiddle(a.safe(path)))
	}
}

// safe returns text of a project as it may be shown, in one line.
func (a *app) safe(text string) string { return inOneLine(safetext.RedactKeys(a.redact(text))) }

func words(k trust.Kind) string {
	if k == trust.KindServers {
		return "MCP servers"
	}
	return string(k)
}

// shownName returns the name of an item as it is shown.
func (a *app) shownName(i trust.Item) string { return cutMiddle(a.safe(itemName(i))) }

// widest returns the width of a column for the names of those items that are shown,
// in characters.
func (a *app) widest(items []trust.Item) int {
	width := 28 // enough for most, so that projects look alike
	for _, i := range items[:min(len(items), mostItems)] {
		width = max(width, utf8.RuneCountInString(a.shownName(i)))
	}
	return width
}

func itemName(i trust.Item) string {
	if i.Kind == trust.KindTool {
		return i.Name()
	}
	return i.Path // of a skill, too: it says whose it is
}

// remarks says what else is worth knowing of an item.
func remarks(i trust.Item, how string) string {
	var all []string
	if i.Kind == trust.KindTool && builtin(i.Name()) {
		all = append(all, "in place of the built-in tool")
	}
	if i.Link != "" {
		all = append(all, "a link to "+cutMiddle(inOneLine(i.Link)))
	}
	if how != "" {
		all = append(all, how)
	}
	return strings.Join(all, ", ")
}

// builtin reports whether a tool of a file's name replaces one of the program's.
func builtin(file string) bool {
	file, _, _ = strings.Cut(strings.ReplaceAll(file, "-", "_"), ".")
	return file == delegate.Name || slices.ContainsFunc(tools.Builtin(tools.Config{}), func(t ikigai.Tool) bool { return t.Name == file })
}

// Most lines and bytes that are shown of one file.
const (
	mostLines = 200
	mostBytes = 16 << 10
)

// showContents shows what is in the files, as it was hashed.
func (a *app) showContents(w io.Writer, p *trust.Project) {
	for _, i := range p.Items {
		if i.Link != "" && p.Content(i) == nil {
			continue
		}
		fmt.Fprintf(w, "\n--- %s, %s\n", a.safe(i.Path), render.Bytes(i.Size))
		content := p.Content(i)
		if bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content) {
			fmt.Fprintln(w, "It is no text.")
			continue
		}
		shown, rest := head(content)
		text := safetext.Terminal(safetext.RedactKeys(a.redact(string(shown))))
		fmt.Fprintln(w, strings.TrimRight(text, "\n"))
		if rest > 0 {
			fmt.Fprintf(w, "… and %s more, in %s/%s\n", render.Bytes(int64(rest)), inOneLine(p.Dir), a.safe(i.Path))
		}
	}
	fmt.Fprintln(w)
}

// head returns the beginning of a text, whole lines where there are any, and how
// many bytes follow.
func head(content []byte) (shown []byte, rest int) {
	end := 0
	for range mostLines {
		i := bytes.IndexByte(content[end:], '\n')
		if i < 0 {
			i = len(content) - end - 1
		}
		if end+i+1 > mostBytes || end == len(content) {
			break
		}
		end += i + 1
	}
	if end == 0 {
		end = min(mostBytes, len(content))
	}
	return content[:end], len(content) - end
}
