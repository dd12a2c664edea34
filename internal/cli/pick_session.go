package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"ikigai"
	"ikigai/internal/fuzzy"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
	"ikigai/internal/tui"
)

// mostSessions is how many sessions, and how many finds, a person chooses from.
const mostSessions = 200

// sessionList is sessions to pick from.
type sessionList struct {
	*front
	store    ikigai.Store
	dir      string               // the working directory
	sessions []ikigai.SessionInfo // by distance, the last changed first
	texts    []string             // what they are found by
}

// pickSession has the person pick a session, of this directory or another. It is
// false if they pick none.
func (f *front) pickSession(ctx context.Context, store ikigai.Store) (id ikigai.ID, ok bool, err error) {
	l := &sessionList{front: f, store: store, dir: f.whereabouts().dir}
	l.sessions, err = collect(store.Sessions(ctx, ikigai.SessionQuery{Limit: mostSessions}))
	if err := f.unseen(ctx, err); err != nil {
		return "", false, err
	}
	if len(l.sessions) == 0 {
		return "", false, usage("There are no sessions yet", "Say something to begin one")
	}
	slices.SortStableFunc(l.sessions, l.nearer)
	pick := tui.Pick{Title: "Go on with which session?", Items: l.items(ctx), Preview: func(i, width int) string { return l.preview(ctx, i, width) },
		Search: l.search}
	i := f.ui.Pick(ctx, pick)
	if i < 0 {
		return "", false, nil
	}
	return l.sessions[i].ID, true, nil
}

// nearer sorts by distance.
func (l *sessionList) nearer(a, b ikigai.SessionInfo) int { return l.distance(a) - l.distance(b) }

// distance says how far a session is from what a person goes on with: nearest are those
// of the working directory, then those of them in which nothing was said, such as
// conversations about commits.
func (l *sessionList) distance(s ikigai.SessionInfo) int {
	switch {
	case s.Dir != l.dir:
		return 2
	case s.Statements == 0 && s.Parent == "":
		return 1
	}
	return 0
}

// items returns what is shown of the sessions in the list.
func (l *sessionList) items(ctx context.Context) []tui.Item {
	models := l.models(ctx)
	style := l.frontStyle()
	items := make([]tui.Item, len(l.sessions))
	l.texts = make([]string, len(l.sessions))
	for i, s := range l.sessions {
		about := []string{style.Ago(l.now(), s.Updated.Time())}
		if s.Dir != l.dir {
			about = append(about, l.shortDir(s.Dir))
		}
		if model := models[s.ID]; model != "" {
			about = append(about, model)
		}
		about = append(about, render.Count(s.Statements, "statement"))
		if s.Cost > 0 {
			about = append(about, render.Dollars(s.Cost))
		}
		items[i] = tui.Item{Label: inOneLine(s.Title), About: inOneLine(strings.Join(about, " · "))}
		l.texts[i] = items[i].Label + " " + items[i].About
	}
	return items
}

// shortDir returns a directory as people write it.
func (a *app) shortDir(dir string) string {
	if rest, ok := strings.CutPrefix(dir, a.env("HOME")+"/"); ok && a.env("HOME") != "" {
		return "~/" + rest
	}
	return dir
}

// modelTime bounds the question which models the sessions began with, which is not
// worth a wait.
const modelTime = 500 * time.Millisecond

// models returns the models that the sessions began with, as far as they can be
// told at once.
func (l *sessionList) models(ctx context.Context) map[ikigai.ID]string {
	ctx, cancel := context.WithTimeout(ctx, modelTime)
	defer cancel()
	var ids []string
	for _, s := range l.sessions {
		if strings.Trim(string(s.ID), "0123456789abcdef-") == "" {
			ids = append(ids, "'"+string(s.ID)+"'")
		}
	}
	models := map[ikigai.ID]string{}
	for row, err := range l.store.Query(ctx, "SELECT session, data FROM events WHERE seq = 1 AND session IN ("+strings.Join(ids, ", ")+")") {
		if err != nil {
			break
		}
		var d ikigai.SessionData
		if json.Unmarshal([]byte(sqlText(row.Values[1])), &d) == nil {
			models[ikigai.ID(sqlText(row.Values[0]))] = d.Model
		}
	}
	return models
}

// search returns the sessions that go with what was typed: those whose line has it
// first, then those in which it was said or done, the last first.
func (l *sessionList) search(ctx context.Context, typed string) []int {
	found := fuzzy.Rank(typed, l.texts, len(l.texts))
	if len(strings.TrimSpace(typed)) < 2 {
		return found
	}
	_, _ = l.store.Catchup(ctx, searchBatch) // what is not indexed yet is not found
	words := typed
	if last := []rune(typed); unicode.IsLetter(last[len(last)-1]) || unicode.IsDigit(last[len(last)-1]) {
		words += "*"
	}
	listed := map[ikigai.ID]int{}
	for i, s := range l.sessions {
		listed[s.ID] = i
	}
	for hit, err := range l.store.Search(ctx, ikigai.SearchQuery{Words: words, Limit: 5 * mostSessions}) {
		if err != nil {
			break // the words may be unfinished
		}
		if i, ok := listed[hit.Event.Session]; ok && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	return found
}

// What is shown of a session before it is picked.
const (
	previewEvents    = 200 // that are looked at, the last ones
	previewExchanges = 3
	previewLines     = 8 // of a text
)

// preview returns the last exchanges of a session.
func (l *sessionList) preview(ctx context.Context, i, width int) string {
	s := l.sessions[i]
	style := l.frontStyle()
	style.Width = width
	var said [][]transcript.Block // by exchange
	var fold transcript.Transcript
	for e, err := range l.store.Events(ctx, s.ID, max(0, s.Events-previewEvents)) {
		if err != nil {
			return style.Block(render.Notice(err.Error()))
		}
		for _, b := range fold.Add(e) {
			switch {
			case b.Interaction != ikigai.Main:
			case b.Kind == ikigai.KindUser:
				said = append(said, []transcript.Block{b})
			case b.Kind == ikigai.KindAssistant && b.Text != "" && len(said) > 0:
				said[len(said)-1] = append(said[len(said)-1][:1], b) // the last of its answers
			}
		}
	}
	said = said[max(0, len(said)-previewExchanges):]
	page := render.Page{Style: style}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", inOneLine(string(s.ID)), inOneLine(l.shortDir(s.Dir)))
	for _, exchange := range said {
		for _, block := range exchange {
			b.WriteString(firstLines(page.Block(block), previewLines))
		}
	}
	return b.String()
}

// firstLines returns the first n lines of a text, and says if there are others.
func firstLines(text string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= n+1 { // the last one is empty
		return text
	}
	return strings.Join(lines[:n], "") + "…\n"
}
