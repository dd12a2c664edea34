package cli

import (
	"context"
	"errors"
	"iter"
	"sync"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
)

// findFallbacks finds the models to go on with. One that cannot be asked from here
// is told of, and stops nothing. Nobody is asked for a key that is not in the
// environment until it is needed, which is rarely.
func (a *app) findFallbacks(ctx context.Context) {
	for _, model := range a.settings.Fallback {
		e, err := a.settings.ResolveFallback(ctx, model, unasked)
		if err != nil {
			a.notice(model + " cannot be asked in place of another. " + err.Error())
			continue
		}
		c := agent.Candidate{Name: e.Name, Level: e.Level, NoFormat: e.Known.NoFormat, Context: a.contextOf(e), MaxOutput: outputOf(e)}
		if e.Key == keyUnasked {
			c.Model = &late{find: func(ctx context.Context) (ikigai.Model, error) { return a.findFallback(ctx, model) }}
		} else {
			a.hidden.add(e.Key)
			c.Model = a.model(e)
		}
		a.fallbacks = append(a.fallbacks, c)
	}
}

// findFallback returns one of the models to go on with, after all that it takes
// to get its key.
func (a *app) findFallback(ctx context.Context, model string) (ikigai.Model, error) {
	e, err := a.settings.ResolveFallback(ctx, model, a.keys())
	if err != nil {
		return nil, err
	}
	a.hidden.add(e.Key)
	return a.model(e), nil
}

// keyUnasked stands for a key that was not asked for.
const keyUnasked = "unasked"

var unasked = config.Keys{
	Command: func(context.Context, string) (string, error) { return keyUnasked, nil },
	Stored:  func(context.Context, string) (string, string, error) { return keyUnasked, "", nil },
}

// late is a model that is made when it is first asked, by whichever task that is.
type late struct {
	find func(context.Context) (ikigai.Model, error)

	mu    sync.Mutex
	model ikigai.Model // once found
}

// Stream implements ikigai.Model.
func (l *late) Stream(ctx context.Context, req ikigai.Request) iter.Seq2[ikigai.Delta, error] {
	return func(yield func(ikigai.Delta, error) bool) {
		m, err := l.found(ctx)
		if err != nil {
			yield(ikigai.Delta{}, noKey(err))
			return
		}
		m.Stream(ctx, req)(yield)
	}
}

// found returns the model, which is made if there is none yet.
func (l *late) found(ctx context.Context) (ikigai.Model, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model == nil {
		m, err := l.find(ctx)
		if err != nil {
			return nil, err
		}
		l.model = m
	}
	return l.model, nil
}

// noKey returns err, which told that there is no key, as one of the vendor's: so
// the next model is asked.
func noKey(err error) error {
	var e *ikigai.Error
	if !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage {
		return err
	}
	auth := *e
	auth.Kind = ikigai.ErrorAuth
	return &auth
}
