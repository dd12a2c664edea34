package cli

import (
	_ "embed"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/delegate"
	"ikigai/internal/history"
	"ikigai/internal/knowledge"
	"ikigai/internal/session"
	"ikigai/internal/tools"
)

//go:embed delegate.md
var taskPrompt string

// helper is an interaction in which a task is worked on.
type helper struct {
	interaction string
	agent       *agent.Agent
	end         func() // to be called when it is done
}

// taskView is what is known of a child interaction.
type taskView struct {
	*history.Line
	files  *history.Files
	tally  *history.Tally
	nested *knowledge.Nested
}

// Add takes in the session's next event.
func (v *taskView) Add(e ikigai.Event) {
	v.Line.Add(e)
	v.files.Add(e)
	v.tally.Add(e)
	v.nested.Add(e)
}

// helper begins the interaction of a task. It has the model, the limits and, as far
// as the task does not say otherwise, the tools of the one that hands it over; a
// history and knowledge of files of its own. The error is an *ikigai.Error.
func (h *handing) helper(callID string, t delegate.Task) (*helper, error) {
	view := &taskView{}
	side, err := h.work.session.Side(t.Title,
		ikigai.InteractionData{Purpose: ikigai.PurposeTask, Parent: h.interaction, CallID: callID, Model: h.agent.ModelName},
		func(name string) session.Projection {
			*view = taskView{history.New(name), history.NewFiles(name), history.NewTally(name), knowledge.NewNested(name, h.dir)}
			view.SetBlobs(h.blob)
			return view
		})
	if err != nil {
		return nil, &ikigai.Error{Kind: ikigai.ErrorStore, What: "The session takes no more events", Err: err}
	}
	own := &handing{opening: h.opening, interaction: side.Name(), left: h.left - 1, work: h.work}
	own.agent = h.agentOf(t, side, view)
	own.agent.Tools = h.toolsOf(t, h.tasks.known(side.Name(), view.files), own.tools())
	side.Queue(
		sideSystem(ikigai.PurposeTask, strings.TrimSpace(taskPrompt)+"\n\n"+knowledge.Environment(h.dir, h.now())+h.prompt.knowledge()),
		toolsEvent(own.agent.Tools))
	return &helper{interaction: side.Name(), agent: own.agent, end: side.End}, nil
}

// agentOf returns the agent of a task, without tools.
func (h *handing) agentOf(t delegate.Task, side *session.Side, view *taskView) *agent.Agent {
	p := h.agent
	a := &agent.Agent{
		Model: p.Model, ModelName: p.ModelName, Level: p.Level, NoFormat: p.NoFormat, Fallbacks: p.Fallbacks,
		Recorder: side, History: view.Line, Dir: p.Dir, CacheKey: string(h.work.session.ID()) + "/" + string(ikigai.PurposeTask),
		MaxToolTurns: h.settings.MaxToolTurns, MaxTokens: t.Budget, MaxOutputSize: p.MaxOutputSize, ResultFormat: p.ResultFormat,
		Concurrency: p.Concurrency, MaxOutput: p.MaxOutput, MaxRetries: p.MaxRetries,
		Context: p.Context, UsualOutput: p.UsualOutput, Fitter: &fitting{Line: view.Line, work: h.work, parent: side.Name()},
		Price: p.Price, Approve: h.approver(t.Title), AllowVolatile: p.AllowVolatile,
		KeepDir: p.KeepDir, OutputDir: p.OutputDir, Watcher: p.Watcher,
		Feedback: p.Feedback, Standing: &taskStanding{Tally: view.tally, of: p.Standing, title: t.Title},
	}
	if t.MaxTurns > 0 {
		a.MaxToolTurns = min(t.MaxTurns, a.MaxToolTurns)
	}
	if p.Notes != nil {
		a.Notes = view.nested.Note
	}
	if t.Schema != nil {
		if f, err := parseFormat("answer", t.Schema); err == nil { // it was checked
			a.Format, a.CheckAnswer = f.Format, f.check
		}
	}
	return a
}

// taskStanding is how a task stands: it serves the goal of whoever handed it over,
// and its own objective.
type taskStanding struct {
	*history.Tally
	of    agent.Standing // may be nil
	title string
}

// Goal implements agent.Standing.
func (s *taskStanding) Goal() string {
	if s.of == nil {
		return ""
	}
	return s.of.Goal()
}

// Objective implements agent.Standing.
func (s *taskStanding) Objective() string { return s.title }

// toolsOf returns the tools of a task, in the order of those of whoever hands it
// over. The built-in ones know of files what the task knows, and own takes the
// place of the tool that hands tasks over.
func (h *handing) toolsOf(t delegate.Task, known func(string) (string, bool), own []ikigai.Tool) []ikigai.Tool {
	config := h.kit.config
	config.Known = known
	builtin := append(tools.Builtin(config), own...)
	var all []ikigai.Tool
	for _, tool := range h.agent.Tools {
		if t.Capabilities != nil && !slices.Contains(t.Capabilities, tool.Name) || isDelegate(tool) && own == nil {
			continue
		}
		if tool.Source == "" {
			if i := slices.IndexFunc(builtin, func(b ikigai.Tool) bool { return b.Name == tool.Name }); i >= 0 {
				tool = h.tasks.alone(builtin[i])
			}
		}
		all = append(all, tool)
	}
	return all
}
