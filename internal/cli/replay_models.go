package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

// answer is what a model has answered, or why it has not.
type answer struct {
	Model    string   `json:"model"`
	Text     string   `json:"text"`
	Calls    []string `json:"calls,omitempty"`
	Input    int64    `json:"input"`
	Output   int64    `json:"output"`
	Cost     *int64   `json:"cost,omitempty"` // millionths of a US dollar
	Millis   int64    `json:"ms"`
	Error    string   `json:"error,omitempty"`
	recorded bool
}

// replayModels asks other models what was asked last in a statement, and shows
// their answers beside the recorded one.
func (a *app) replayModels(ctx context.Context, w which, o replayOptions) error {
	store, found, err := a.openToReplay(ctx, w, o)
	if err != nil {
		return err
	}
	defer store.Close()
	events, err := collect(a.allEvents(ctx, store, found.ID))
	if err != nil {
		return err
	}
	before, reply, err := lastReply(events, o.statement)
	if err != nil {
		return err
	}
	answers := []answer{recordedAnswer(reply)}
	failed := false
	for _, name := range o.models {
		e, err := a.settings.ResolveFallback(ctx, name, a.keys())
		if err != nil {
			return err
		}
		a.hidden.add(e.Key)
		line := history.New(ikigai.Main)
		line.SetBlobs(func(hash string) ([]byte, error) { return store.Blob(ctx, hash) })
		for _, e := range before {
			line.Add(e)
		}
		if err := line.Load(); err != nil {
			return err
		}
		given := a.askOne(ctx, e, line.Request(), found.ID)
		failed = failed || given.Error != ""
		answers = append(answers, given)
	}
	if err := a.tellAnswers(answers, o.json); err != nil {
		return err
	}
	if failed {
		return &quietError{exitVendor}
	}
	return ctx.Err()
}

// lastReply returns the events before the last reply to a statement, counted from
// 1, or to the last one if that is 0, and that reply.
func lastReply(events []ikigai.Event, statement int) (before, reply []ikigai.Event, err error) {
	n, from, begin, end := 0, -1, -1, len(events)
	for i, e := range events {
		if e.Interaction != ikigai.Main {
			continue
		}
		if e.IsStatement() {
			if n++; statement > 0 && n > statement {
				end = i
				break
			}
			begin, from = i, -1
		}
		// A reply follows a request, or where none was recorded a statement or results.
		if begin >= 0 && (e.Kind == ikigai.KindRequest || e.Kind == ikigai.KindAssistant && from < begin) {
			from = i
		}
	}
	switch {
	case n == 0:
		return nil, nil, usage("The session has no statement", "Choose another one; see `ikigai sessions`")
	case statement > n:
		return nil, nil, usage(fmt.Sprintf("The session has no statement %d, it has %d", statement, n), "See `ikigai log` for them")
	case from < 0:
		from = begin + 1
	}
	return events[:from], events[from:end], nil
}

// recordedAnswer returns the answer that events hold.
func recordedAnswer(events []ikigai.Event) answer {
	g := answer{recorded: true}
	for _, e := range events {
		switch {
		case e.Interaction != ikigai.Main:
		case e.Kind == ikigai.KindRequest:
			var d ikigai.RequestData
			_ = e.DecodeData(&d) // what is damaged names no model
			g.Model = d.Model
		case e.Kind == ikigai.KindAssistant:
			g.Text += e.Content
		case e.Kind == ikigai.KindToolCall:
			g.Calls = append(g.Calls, e.Content)
		case e.Kind == ikigai.KindError:
			g.Error = e.Content
		case e.Kind == ikigai.KindUsage:
			var d ikigai.UsageData
			_ = e.DecodeData(&d)
			g.Model, g.Input, g.Output, g.Cost, g.Millis = d.Model, d.Input, d.Output, d.Cost, d.TotalMillis
		}
	}
	return g
}

// askOne asks a model, and runs nothing of what it calls.
func (a *app) askOne(ctx context.Context, e config.Endpoint, req ikigai.Request, id ikigai.ID) answer {
	req.Level, req.MaxOutput, req.CacheKey, req.Memo = e.Level, a.settings.MaxOutputTokens, string(id), nil
	if a.format != nil && !e.Known.NoFormat {
		req.Format = a.format.Format
	}
	g := answer{Model: e.Name}
	began := time.Now()
	calls := map[int]*ikigai.CallDelta{}
	order := []int{}
	for d, err := range a.model(e).Stream(ctx, req) {
		if err != nil {
			g.Error = err.Error()
			break
		}
		g.Text += d.Text + d.Refusal
		if c := d.Call; c != nil {
			if calls[c.Index] == nil {
				calls[c.Index] = new(ikigai.CallDelta)
				order = append(order, c.Index)
			}
			calls[c.Index].Name += c.Name
			calls[c.Index].Arguments += c.Arguments
		}
		if d.Usage != nil {
			g.Input, g.Output, g.Cost = d.Usage.Input, d.Usage.Output, a.price(e.Name, *d.Usage)
		}
	}
	g.Millis = time.Since(began).Milliseconds()
	for _, i := range order {
		g.Calls = append(g.Calls, calls[i].Name+"("+calls[i].Arguments+")")
	}
	return g
}

// tellAnswers shows answers side by side where there is room, and one below the
// other elsewhere.
func (a *app) tellAnswers(answers []answer, asJSON bool) error {
	if asJSON {
		raw, err := json.Marshal(struct {
			Recorded answer   `json:"recorded"`
			Answers  []answer `json:"answers"`
		}{answers[0], answers[1:]})
		if err != nil {
			return err
		}
		return a.results(func(w io.Writer) error { _, err := fmt.Fprintf(w, "%s\n", raw); return err })
	}
	width, _ := terminal(a.Out)
	return a.results(func(w io.Writer) error {
		_, err := io.WriteString(w, a.redact(answersText(answers, width)))
		return err
	})
}

const (
	leastColumn = 40 // characters in which an answer can still be read
	betweenThem = " │ "
)

// answersText returns answers as people read them on so many columns; 0 for no
// terminal.
func answersText(answers []answer, width int) string {
	column := (width - (len(answers)-1)*ansi.StringWidth(betweenThem)) / len(answers)
	if column < leastColumn {
		var b strings.Builder
		for i, g := range answers {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(g.title() + "\n\n" + g.body() + "\n")
		}
		return b.String()
	}
	columns := make([][]string, len(answers))
	rows := 0
	for i, g := range answers {
		for line := range strings.SplitSeq(g.title()+"\n\n"+g.body(), "\n") {
			columns[i] = append(columns[i], strings.Split(ansi.Wrap(strings.ReplaceAll(line, "\t", "    "), column, ""), "\n")...)
		}
		rows = max(rows, len(columns[i]))
	}
	var b strings.Builder
	for row := range rows {
		line := ""
		for i, lines := range columns {
			cell := ""
			if row < len(lines) {
				cell = lines[row]
			}
			if i > 0 {
				line += betweenThem
			}
			line += cell + strings.Repeat(" ", max(column-ansi.StringWidth(cell), 0))
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// title says who has answered, and what it cost.
func (g answer) title() string {
	said := safetext.Terminal(g.Model)
	if g.recorded {
		said += ", as recorded"
	}
	facts := fmt.Sprintf("%d tokens in, %d out", g.Input, g.Output)
	if g.Cost != nil {
		facts += ", " + render.Dollars(*g.Cost)
	}
	return said + "\n" + facts + fmt.Sprintf(", %.1f s", float64(g.Millis)/1000)
}

// body returns the answer itself.
func (g answer) body() string {
	parts := []string{}
	if text := strings.TrimSpace(g.Text); text != "" {
		parts = append(parts, safetext.Terminal(text))
	}
	for _, call := range g.Calls {
		parts = append(parts, "calls "+safetext.Terminal(call))
	}
	if g.Error != "" {
		parts = append(parts, "failed: "+safetext.Terminal(g.Error))
	}
	if len(parts) == 0 {
		return "(nothing)"
	}
	return strings.Join(parts, "\n\n")
}
