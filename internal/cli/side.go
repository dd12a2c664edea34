package cli

import (
	"context"
	"fmt"
	"time"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/catalog"
	"ikigai/internal/config"
	"ikigai/internal/history"
	"ikigai/internal/session"
)

// side is a side interaction that is under way.
type side struct {
	*agent.Agent
	name string
	end  func() // to be called when nothing more is said in it
}

// side begins a side interaction: what says in words what it is for. Its agent
// asks the model for small work and has no tools; both can be changed before the
// first statement. The error is an *ikigai.Error.
func (w *work) side(ctx context.Context, what string, d ikigai.InteractionData) (*side, error) {
	small := w.small(ctx)
	if d.Model == "" {
		d.Model = small.Name
	}
	var line *history.Line
	recorder, err := w.session.Side(what, d, func(name string) session.Projection {
		line = history.New(name)
		line.SetBlobs(w.blob)
		return line
	})
	if err != nil {
		return nil, &ikigai.Error{Kind: ikigai.ErrorStore, What: "The session takes no more events", Do: "Start again with `ikigai run --continue`", Err: err}
	}
	a := &agent.Agent{
		Model: small.Model, ModelName: small.Name, Level: small.Level, NoFormat: small.NoFormat,
		Recorder: recorder, History: line, Dir: w.dir,
		MaxToolTurns: w.settings.MaxToolTurns, MaxOutputSize: w.settings.MaxOutputSize, MaxRetries: w.settings.MaxRetries,
		CacheKey: string(w.session.ID()) + "/" + string(d.Purpose),
		Price:    w.price,
		Context:  small.Context, UsualOutput: small.MaxOutput, OutputDir: w.places().output(w.session.ID()),
	}
	return &side{Agent: a, name: recorder.Name(), end: recorder.End}, nil
}

// small returns the model for small work: the session's own where the settings
// name no other, or where that cannot be asked, which the person is told once for
// each of the session's models.
func (o *opening) small(ctx context.Context) agent.Candidate {
	o.modelMu.Lock()
	defer o.modelMu.Unlock()
	if o.smallModel == nil {
		e := o.endpoint
		if name := o.settings.SmallModel; name != "" && !scripted(o.endpoint) {
			found, err := o.settings.ResolveFallback(ctx, name, o.keys())
			if err == nil {
				o.hidden.add(found.Key)
				e = found
			} else {
				o.view.notice(fmt.Sprintf("%s cannot be asked for small work, %s does it. %v", name, e.Name, err))
			}
		}
		e.MaxRetries = min(e.MaxRetries, 1) // there is always something else that does
		o.smallModel = &agent.Candidate{Name: e.Name, Model: o.model(e), NoFormat: e.Known.NoFormat,
			Context: o.contextOf(e), MaxOutput: outputOf(e), Level: leastLevel(e.Known)}
	}
	return *o.smallModel
}

// goOnWith has the session go on with another model, and small work, too.
func (o *opening) goOnWith(e config.Endpoint) {
	o.modelMu.Lock()
	defer o.modelMu.Unlock()
	o.endpoint, o.smallModel = e, nil
}

// leastLevel returns the level at which a model thinks least, of those that it
// knows.
func leastLevel(m catalog.Model) ikigai.Level {
	for _, level := range ikigai.Levels() {
		if _, ok := m.Levels[level]; ok {
			return level
		}
	}
	return ikigai.LevelDefault
}

// blob returns bytes that the store keeps.
func (o *opening) blob(hash string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	return o.store.Blob(ctx, hash)
}

// system returns the event of a side interaction's system prompt.
func sideSystem(p ikigai.Purpose, text string) ikigai.Event {
	return ikigai.NewEvent(ikigai.KindSystem, ikigai.SidePrompt+string(p)+". "+text, nil)
}

// sideTime is how long a side interaction may take that no person waits for.
const sideTime = 2 * time.Minute
