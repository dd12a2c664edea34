package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/knowledge"
	"ikigai/internal/render"
)

func (a *app) contextCommand() *cobra.Command {
	var fresh, asJSON bool
	cmd := &cobra.Command{
		Use:   "context [ID]",
		Short: "Show what the model is sent: instructions, skills, tools, conversation",
		Long: `Show what the model of a session is sent next, part by part with its size: the
system prompt, the surroundings, instructions, skills, tools, a summary, and each
statement with all that was done for it. Without ID it is the last session of this
directory or, where there is none, what a new one would begin with.

A session keeps the instructions that it began with. Where their files are others
by now, that is told: a new session reads them anew.`,
		Example: `  ikigai context
  ikigai context --new
  ikigai context 01a1f9ef --json`,
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if fresh && len(args) > 0 {
				return usage("--new is of no session", "Leave out the ID, or --new")
			}
			return a.context(cmd.Context(), args, fresh, asJSON)
		},
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return a.completeSessions(cmd), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Flags().BoolVar(&fresh, "new", false, "what a new session would begin with")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (a *app) context(ctx context.Context, args []string, fresh, asJSON bool) error {
	a.trusting.texts = true
	if err := a.load(); err != nil {
		return err
	}
	s, err := a.sending(ctx, args, fresh)
	if err != nil {
		return err
	}
	for _, line := range a.outdated(s.prompt.told) {
		a.notice(line)
	}
	if asJSON {
		return a.jsonLine(a.contextLine(s))
	}
	_, err = fmt.Fprint(a.Out, a.style(a.Out).Context(a.sentTable(s)))
	return err
}

// sending returns what is sent in the session that args name, or in a new one.
func (a *app) sending(ctx context.Context, args []string, fresh bool) (*sending, error) {
	if fresh {
		return a.sendingNew(ctx), nil
	}
	store, err := a.storeToRead(ctx)
	if errors.Is(err, ikigai.ErrNotFound) && len(args) == 0 {
		return a.sendingNew(ctx), nil
	}
	if err != nil {
		return nil, err
	}
	defer store.Close()
	a.deliverNow(ctx, store, a.notice)
	if len(args) == 0 {
		last, err := collect(store.Sessions(ctx, ikigai.SessionQuery{Dir: a.dir, Limit: 1}))
		if err == nil && len(last) == 0 {
			return a.sendingNew(ctx), nil
		}
	}
	found, err := a.find(ctx, store, named(args))
	if err != nil {
		return nil, err
	}
	s := newSending(found.ID)
	for e, err := range store.Events(ctx, found.ID, 0) {
		if err != nil {
			return nil, err
		}
		s.Add(e)
	}
	return s, nil
}

// sendingNew returns what is sent in a session that nothing has been said in.
func (a *app) sendingNew(ctx context.Context) *sending {
	k := a.newKit(ctx, kitConfig{notice: a.notice, patient: true, own: a.shownTasks()})
	defer k.close()
	return a.sendingOf(a.dir, a.system(a.notice), k)
}

// sendingOf returns what is sent in a session with this system prompt and these tools
// that nothing has been said in.
func (a *app) sendingOf(dir string, system ikigai.Event, k *kit) *sending {
	s := newSending("")
	for i, e := range []ikigai.Event{
		ikigai.NewEvent(ikigai.KindSession, dir, ikigai.SessionData{Dir: dir, Model: a.settings.Model}),
		system, toolsEvent(k.all()),
	} {
		e.Seq = ikigai.Seq(i + 1)
		s.Add(e)
	}
	return s
}

// sending is what the model of a session is sent next, as a projection of the log.
type sending struct {
	id    ikigai.ID
	dir   string
	model string // that has answered last, else the one that the session began with
	line  *history.Line

	prompt     prompted
	statements map[ikigai.Seq]string // what their first lines begin with
}

func newSending(id ikigai.ID) *sending {
	return &sending{id: id, line: history.New(ikigai.Main), statements: map[ikigai.Seq]string{}}
}

// Add takes in the next event of the session.
func (s *sending) Add(e ikigai.Event) {
	s.line.Add(e)
	s.prompt.Add(e)
	switch {
	case e.Interaction != ikigai.Main:
	case e.Kind == ikigai.KindSession:
		var d ikigai.SessionData
		_ = e.DecodeData(&d) // damaged, it names neither
		s.dir, s.model = d.Dir, d.Model
	case e.Kind == ikigai.KindUsage:
		var d ikigai.UsageData
		_ = e.DecodeData(&d) // likewise
		s.model = cmp.Or(d.Model, s.model)
	case e.IsStatement():
		first, _, _ := strings.Cut(strings.TrimSpace(e.Content), "\n")
		s.statements[e.Seq] = inFewWords(first, maxAimText)
	}
}

// shape returns what is sent. Before anything was, its size is that of its parts.
func (s *sending) shape() history.Shape {
	shape := s.line.Shape()
	if len(shape.Statements) == 0 {
		shape.Tokens = int64(float64(shape.System+shape.Tools+shape.Summary.Bytes) / shape.PerToken)
	}
	return shape
}

// limit returns how many tokens the model takes, as far as that is known, 0 where
// nobody knows. A vendor that has refused the conversation knows best.
func (a *app) limit(s *sending) int64 {
	known, _ := a.settings.Known(s.model)
	limit := int64(a.contextOf(config.Endpoint{Known: known}))
	if refused := s.line.Refused(s.model); refused > 0 && (limit == 0 || refused < limit) {
		return refused
	}
	return limit
}

// outdated returns lines on files that are no longer as a session was told of them.
func (a *app) outdated(told knowledge.Data) []string {
	var lines []string
	for _, f := range slices.Concat(told.Instructions, told.Skills) {
		if how := f.Now(); how != "" {
			lines = append(lines, fmt.Sprintf("%s %s since the session began. It goes on with what it has; a new session reads it anew.", inOneLine(f.Path), how))
		}
	}
	return lines
}

// sentTable returns the parts of what is sent as a person is shown them.
func (a *app) sentTable(s *sending) render.Context {
	shape := s.shape()
	c := render.Context{Tokens: shape.Tokens, Model: inOneLine(cmp.Or(s.model, "the model")), Limit: a.limit(s)}
	for _, p := range s.parts(shape) {
		if !p.Within {
			c.Bytes += p.Bytes
		}
		c.Parts = append(c.Parts, render.ContextPart{Kind: p.Part, Name: a.safe(p.words(s.dir)), Bytes: p.Bytes, Tokens: p.Tokens})
	}
	return c
}
