package export

import (
	"bufio"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

//go:embed page.css
var pageCSS string

// HTML writes a session as one page that needs nothing else: no script, no
// file beside it, no network, which a policy in it forbids too. It follows the
// reader's choice of light and dark, folds long output and can be printed. The
// error is that of w or of events.
//
// The index of statements and the sum stand at the end of the file, because
// they are known there, and at the top and the side of the page.
func HTML(w io.Writer, events Events, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	p := page{printer: printer{w: out}, o: &o}
	p.head()
	err := each(events, p.totals.add, p.block)
	if err == nil {
		p.foot()
		err = p.err
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

type page struct {
	printer
	o      *Options
	totals totals
	index  []entry
	side   string // the side interaction whose folded part is open
}

// entry is a line of the index.
type entry struct {
	statement int
	title     string
}

// esc returns text as it stands in HTML, also in an attribute.
func (p *page) esc(text string) string { return html.EscapeString(p.o.text(text)) }

func (p *page) head() {
	s := p.o.Session
	title := s.Title
	if strings.TrimSpace(title) == "" {
		title = "Session " + string(s.ID)
	}
	p.print("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<title>", p.esc(p.o.line(title)), "</title>\n<style>\n", pageCSS, "</style>\n</head>\n<body>\n",
		"<header>\n<h1>", p.esc(p.o.line(title)), "</h1>\n<dl>\n")
	p.fact("Session", string(s.ID))
	p.fact("Directory", s.Dir)
	if s.Parent != "" {
		p.fact("Fork of", fmt.Sprintf("%s at event %d", s.Parent, s.Base))
	}
	if s.Created > 0 {
		p.fact("Begun", p.o.time(s.Created, layoutDay))
	}
	p.fact("Exported by", p.o.By)
	p.print("</dl>\n</header>\n<main>\n")
}

func (p *page) foot() {
	p.endSide()
	p.print("</main>\n<section class=\"sum\">\n<h2>In sum</h2>\n<dl>\n")
	for _, f := range p.totals.facts() {
		p.fact(f.name, f.value)
	}
	p.print("</dl>\n</section>\n<nav>\n<h2>Statements</h2>\n<ol>\n")
	for _, e := range p.index {
		p.print(fmt.Sprintf("<li value=\"%d\"><a href=\"#s%d\">", e.statement, e.statement), html.EscapeString(e.title), "</a></li>\n")
	}
	p.print("</ol>\n</nav>\n</body>\n</html>\n")
}

func (p *page) fact(name, value string) {
	if value != "" {
		p.print("<div><dt>", name, "</dt><dd>", p.esc(value), "</dd></div>\n")
	}
}

// block shows a block in an element whose class is its kind.
func (p *page) block(b transcript.Block) error {
	if body := p.body(b); body != "" {
		p.fold(b)
		p.open(b)
		p.print(body, "</article>\n")
	}
	return p.err
}

// fold folds what stands beside the conversation.
func (p *page) fold(b transcript.Block) {
	side := sideOf(b)
	if side == p.side {
		return
	}
	p.endSide()
	if side != "" {
		p.print("<details><summary>", p.esc(p.o.line(sideTitle(b))), "</summary>\n")
		p.side = side
	}
}

// endSide ends the folded part that is open.
func (p *page) endSide() {
	if p.side != "" {
		p.print("</details>\n")
		p.side = ""
	}
}

// classes are the kinds that have a look of their own.
var classes = map[ikigai.Kind]string{
	ikigai.KindUser: "user", ikigai.KindAssistant: "assistant", ikigai.KindInterrupted: "assistant",
	ikigai.KindThinking: "thinking", ikigai.KindToolCall: "call", ikigai.KindToolResult: "result",
	ikigai.KindError: "error",
}

func (p *page) open(b transcript.Block) {
	class := classes[b.Kind]
	if class == "" {
		class = "record"
	}
	id := fmt.Sprintf("e%d", b.Seq)
	if b.Kind == transcript.End {
		id += "-end"
	}
	if b.Interaction != ikigai.Main {
		class += " side"
	} else if isStatement(b) {
		title := p.o.line(firstLine(b.Text))
		if title == "" {
			title = "(without text)"
		}
		p.index = append(p.index, entry{b.Statement, title})
		id = fmt.Sprintf("s%d", b.Statement)
	}
	if c, ok := b.Body.(transcript.Call); ok && c.MayHaveRun {
		id += "-open" // the call itself has been shown under its own
	}
	p.print("<article class=\"", class, "\" id=\"", id, "\">\n")
	p.print("<time title=\"", p.o.time(b.Time, layoutDay), "\">", p.o.time(b.Time, layoutTime), "</time>\n")
	if b.Interaction != ikigai.Main {
		p.print("<span class=\"interaction\">", p.esc(p.o.line(b.Interaction)), "</span>\n")
	}
}

// body returns what a block shows, "" for nothing.
func (p *page) body(b transcript.Block) string {
	body := ""
	switch b.Kind {
	case ikigai.KindUser:
		body = p.prose(b.Text) + p.parts(b.Body)
	case ikigai.KindAssistant:
		body = p.prose(b.Text) + p.parts(b.Body)
	case ikigai.KindSystem:
		body = p.folded("System prompt", p.pre(b.Text))
	case ikigai.KindThinking:
		body = p.folded("Thinking", p.prose(b.Text))
	case ikigai.KindToolCall:
		body = p.call(b)
	case ikigai.KindToolResult:
		body = p.result(b)
	case ikigai.KindInterrupted:
		d, _ := b.Body.(ikigai.InterruptedData)
		if d.Thinking != "" {
			body = p.folded("Thinking", p.prose(d.Thinking))
		}
		body += p.prose(b.Text) + p.remark("The reply was interrupted: "+d.Reason)
	case ikigai.KindError:
		body = p.remark("Error: " + b.Text)
	case ikigai.KindTools:
		body = p.tools(b)
	case ikigai.KindSession:
		d, _ := b.Body.(ikigai.SessionData)
		body = p.remark(strings.TrimSpace("Session begins. " + d.Model))
	case ikigai.KindUsage:
		body = p.usage(b)
	default:
		body = p.remark(remark(b))
	}
	if b.Damage != "" {
		body += p.remark("Part of this event could not be read: " + b.Damage)
	}
	return body
}

func (p *page) usage(b transcript.Block) string {
	d, _ := b.Body.(ikigai.UsageData)
	text := d.Model + ": " + number(d.Input) + " tokens in"
	if d.CacheRead > 0 {
		text += " (" + number(d.CacheRead) + " from the cache)"
	}
	text += ", " + number(d.Output) + " out"
	if d.Cost != nil {
		text += ", " + dollars(*d.Cost)
	}
	if d.TotalMillis > 0 {
		text += fmt.Sprintf(", %.1f s", float64(d.TotalMillis)/1000)
	}
	if d.Stop == ikigai.StopLength {
		text += ". " + tooLittle
	}
	return p.remark(text)
}

func (p *page) call(b transcript.Block) string {
	c, _ := b.Body.(transcript.Call)
	var out strings.Builder
	out.WriteString("<p class=\"tool\"><b>" + p.esc(p.o.line(c.Name)) + "</b>")
	values := params(c)
	for _, v := range values {
		if v.short {
			out.WriteString(" " + p.named(v))
		}
	}
	out.WriteString("</p>\n")
	for _, v := range values {
		if !v.short {
			out.WriteString(p.output(v))
		}
	}
	if c.MayHaveRun {
		out.WriteString(p.remark(mayHaveRun))
	}
	return out.String()
}

func (p *page) result(b transcript.Block) string {
	r, _ := b.Body.(transcript.Result)
	var out, facts strings.Builder
	if !r.Follows {
		name := r.Name
		if r.Call != nil {
			name = r.Call.Name
		}
		out.WriteString("<p class=\"tool\">Result of <b>" + p.esc(p.o.line(name)) + "</b> <code>" + p.esc(p.o.line(r.ToolCallID)) + "</code></p>\n")
	}
	if !r.Success {
		out.WriteString("<p class=\"failed\">Failed.</p>\n")
	}
	for _, v := range output(r) {
		if v.short {
			facts.WriteString(p.named(v) + " ")
		} else {
			out.WriteString(p.output(v))
		}
	}
	if facts.Len() > 0 {
		out.WriteString("<p class=\"facts\">" + facts.String() + "</p>\n")
	}
	out.WriteString(p.list(r.Parts))
	if r.Note != "" {
		out.WriteString(p.remark("Note to the model:") + p.pre(r.Note))
	}
	return out.String()
}

func (p *page) named(v value) string {
	return "<span>" + p.esc(p.o.line(v.name)) + " <code>" + p.esc(v.text) + "</code></span>"
}

// output shows a value in a block of its own, folded if it is long.
func (p *page) output(v value) string {
	if strings.TrimSpace(v.text) == "" && v.name == "" {
		return ""
	}
	folds, size := long(v.text)
	if folds {
		name := v.name
		if name == "" {
			name = "Output"
		}
		return p.folded(name+" ("+size+")", p.pre(v.text))
	}
	if v.name == "" {
		return p.pre(v.text)
	}
	return "<p class=\"label\">" + p.esc(p.o.line(v.name)) + "</p>\n" + p.pre(v.text)
}

func (p *page) tools(b transcript.Block) string {
	d, _ := b.Body.(ikigai.ToolsData)
	var list strings.Builder
	for _, t := range d.Tools {
		list.WriteString("<p class=\"label\">" + p.esc(p.o.line(t.Name)) + "</p>\n" + p.pre(t.Description))
	}
	return p.folded(fmt.Sprintf("Tools from here on: %d", len(d.Tools)), list.String())
}

func (p *page) folded(summary, body string) string {
	return "<details><summary>" + p.esc(p.o.line(summary)) + "</summary>\n" + body + "</details>\n"
}

func (p *page) pre(text string) string {
	// The newline after <pre> is no part of it.
	return "<pre>\n" + p.esc(strings.TrimSuffix(text, "\n")) + "</pre>\n"
}

// prose shows text with its line ends, and blocks of code as such.
func (p *page) prose(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	// Secrets and colours may reach over several lines, so they go first.
	var out, part strings.Builder
	var f fences
	flush := func(tag string) {
		if s := strings.Trim(part.String(), "\n"); s != "" {
			out.WriteString("<" + tag + ">" + html.EscapeString(s) + "</" + tag + ">\n")
		}
		part.Reset()
	}
	for line := range strings.Lines(p.o.text(text)) {
		was := f.open()
		switch code := f.line(strings.TrimSuffix(line, "\n")); {
		case code && !was:
			flush("p")
		case was && !f.open():
			flush("pre")
		default:
			part.WriteString(line)
		}
	}
	if f.open() {
		flush("pre")
	}
	flush("p")
	return out.String()
}

func (p *page) remark(text string) string {
	if text = p.o.line(text); text == "" {
		return ""
	}
	return "<p class=\"remark\">" + html.EscapeString(text) + "</p>\n"
}

func (p *page) parts(body any) string {
	d, _ := body.(ikigai.MessageData)
	return p.list(d.Parts)
}

func (p *page) list(parts []ikigai.Part) string {
	var out strings.Builder
	for _, part := range parts {
		if part.Type == ikigai.PartText {
			out.WriteString(p.prose(part.Text))
		} else if image := p.image(part); image != "" {
			out.WriteString(image)
		} else {
			out.WriteString(p.remark("[" + partName(part) + "]"))
		}
	}
	return out.String()
}

// maxImage is the largest image that a page holds, in bytes.
const maxImage = 8 << 20

// image returns an image as part of the page, "" if it cannot be. Formats that
// may hold more than pixels are not taken.
func (p *page) image(part ikigai.Part) string {
	switch part.Media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return ""
	}
	if p.o.Blob == nil || part.Blob == "" {
		return ""
	}
	content, err := p.o.Blob(part.Blob)
	if err != nil || len(content) > maxImage {
		return ""
	}
	return "<img alt=\"" + p.esc(p.o.line(partName(part))) + "\" src=\"data:" + part.Media + ";base64," +
		base64.StdEncoding.EncodeToString(content) + "\">\n"
}
