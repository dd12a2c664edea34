package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
	"ikigai/internal/tui"
)

func sessionCommands() []slash {
	return []slash{
		{name: "sessions", about: "choose a session to go on with: by its title, or what was said in it",
			tells: always, run: (*front).chooseSession},
		{name: "resume", args: "ID", about: "go on with the session whose ID begins so",
			complete: completeSession, run: (*front).resume},
		{name: "search", args: "WORDS", about: "find what was said and done in the sessions of this directory",
			more:  `All words must occur, in any case. Words in quotation marks are a phrase, and word* is the beginning of one. What you choose is shown where it stands.`,
			tells: always, run: (*front).searchLog},
		{name: "log", args: "[-v]", about: "show all of the session, nothing folded",
			more: "With -v each event has its number, and what the model was sent is shown, too.", tells: always,
			run: func(f *front, ctx context.Context, args string) error {
				if args != "" && args != "-v" && args != "--verbose" {
					return usage("/log does not know "+clipped(args), "Leave it out, or use -v")
				}
				return f.showLog(ctx, args != "")
			}},
	}
}

// resume goes on with another session.
func (f *front) resume(ctx context.Context, id string) error {
	if id == "" {
		return usage("It is not said which session", "Give the beginning of its ID, or choose one with /sessions")
	}
	return f.reopen(ctx, which{id: id})
}

// chooseSession has the person pick a session and goes on with it, by a command of its
// own: one that does something.
func (f *front) chooseSession(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	id, ok, err := f.pickSession(ctx, w.reads)
	if err != nil || !ok {
		return err
	}
	f.say(tui.Input{Text: "/resume " + string(id)})
	return nil
}

// searchLog shows what is found in the sessions of the directory, to choose from.
func (f *front) searchLog(ctx context.Context, words string) error {
	if words == "" {
		return usage("It is not said what to find", "Put the words behind /search")
	}
	terms, err := dbschema.ParseWords(words)
	if err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	q := ikigai.SearchQuery{Words: words, Dir: f.whereabouts().dir, Limit: mostSessions}
	_, _ = w.session.Record(ctx) // what is queued is found, too
	if err := f.catchUp(ctx, w.reads); err != nil {
		return err
	}
	hits, err := collect(w.reads.Search(ctx, q))
	if err := f.unseen(ctx, err); err != nil {
		return err
	}
	if len(hits) == 0 {
		f.tells(inFront(nothingFound(q)))
		return nil
	}
	return f.chooseHit(ctx, w, words, hits, terms)
}

// unseen tells the person why only this session is among what was found. It returns
// an error that is not about that.
func (f *front) unseen(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	f.notice("Other sessions cannot be seen now. " + told(err))
	return nil
}

// chooseHit has the person look at finds, each where it stands, until they have
// seen enough.
func (f *front) chooseHit(ctx context.Context, w *work, words string, hits []ikigai.Hit, terms []dbschema.Term) error {
	style := f.style(f.Out)
	pick := tui.Pick{Title: "Found: " + inOneLine(words), Preview: func(i, width int) string {
		style := style
		style.Width = width
		text, found := snippet(hitTexts(hits[i].Event), terms)
		return style.Hit(hits[i], text, found)
	}}
	for _, hit := range hits {
		text, _ := snippet(hitTexts(hit.Event), terms)
		pick.Items = append(pick.Items, tui.Item{Label: inOneLine(text), About: style.Ago(time.Now(), hit.Event.Time.Time()) + " · " + inOneLine(hit.Title)})
	}
	for {
		i := f.ui.Pick(ctx, pick)
		if i < 0 {
			return nil
		}
		if err := f.showPlace(ctx, w, hits[i]); err != nil {
			return err
		}
		pick.At = i
	}
}

// aroundPlace is how many events are shown of the session from the statement of a
// find on.
const aroundPlace = 400

// showPlace shows a session from the statement on to which a find belongs.
func (f *front) showPlace(ctx context.Context, w *work, hit ikigai.Hit) error {
	var shown []ikigai.Event // from the last statement before the find
	for e, err := range w.reads.Events(ctx, hit.Event.Session, 0) {
		if err != nil {
			return err
		}
		if e.IsStatement() && e.Seq <= hit.Event.Seq {
			shown = shown[:0]
		}
		if shown = append(shown, e); e.Seq > hit.Event.Seq && len(shown) > aroundPlace {
			break
		}
	}
	page := render.Page{Style: f.style(f.Out)}
	fold := transcript.Transcript{Folded: true}
	var b strings.Builder
	for _, e := range shown {
		for _, block := range fold.Add(e) {
			b.WriteString(page.Block(block))
		}
	}
	f.ui.Page(ctx, fmt.Sprintf("%s, from event %d · /resume %s goes on with it", inOneLine(hit.Title), shown[0].Seq, hit.Event.Session), b.String()+page.End(), false)
	return nil
}

func completeSession(ctx context.Context, f *front, _ string) (items []tui.Completion) {
	w, err := f.opened(ctx)
	if err != nil {
		return nil
	}
	sessions, err := collect(w.reads.Sessions(ctx, ikigai.SessionQuery{Limit: mostSessions}))
	if err != nil {
		return nil
	}
	for _, s := range sessions {
		items = append(items, tui.Completion{Text: string(s.ID), About: inOneLine(s.Title)})
	}
	return items
}
