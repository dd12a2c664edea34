package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/catalog"
	"ikigai/internal/config"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
	"ikigai/internal/tui"
)

func modelCommands() []slash {
	return []slash{
		{name: "model", args: "[VENDOR/MODEL[:LEVEL]]", about: "go on with another model",
			more:     "Without a name, choose: models of vendors with a key at hand come first; the system's keyring is asked for a key once you choose. The conversation goes on where it is; only what a vendor keeps for itself stays behind.",
			complete: completeModel, run: (*front).chooseModel},
		{name: "thinking", args: "LEVEL", about: "how much the model thinks before it answers",
			more:     "LEVEL is none, min, low, med or high, as far as the model knows it.",
			complete: completeLevel, run: (*front).think},
	}
}

// chooseModel goes on with the model of a name, or with one that the person picks.
func (f *front) chooseModel(ctx context.Context, name string) error {
	if err := f.idle(ctx); err != nil {
		return err
	}
	if name == "" {
		var err error
		if name, err = f.pickModel(ctx); name == "" {
			return err
		}
	}
	if err := f.useModel(ctx, name); err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	f.tells("The model is " + modelWithLevel(w.agent.ModelName, w.agent.Level) + " from here on.")
	return nil
}

// pickModel has the person pick a model; it returns "" if they pick none.
func (f *front) pickModel(ctx context.Context) (string, error) {
	w, err := f.opened(ctx)
	if err != nil {
		return "", err
	}
	models, usable := f.modelsToPick(ctx, w.endpoint.Vendor)
	inForce := func(m catalog.Model) bool { return m.Name == w.agent.ModelName }
	now := slices.IndexFunc(models, inForce)
	if now < 0 && w.agent.ModelName != noModel {
		known, _ := f.settings.Known(w.agent.ModelName)
		known.Name = w.agent.ModelName
		models, now = slices.Insert(models, 0, known), 0
	}
	pick := tui.Pick{Title: "Go on with which model?", At: now}
	for _, m := range models {
		about := aboutModel(m)
		switch {
		case inForce(m):
			about = strings.TrimSuffix("in force · "+about, " · ")
		case !usable(m) && f.keyless(ctx, m):
			about = strings.TrimSuffix("no key at hand · "+about, " · ")
		}
		pick.Items = append(pick.Items, tui.Item{Label: m.Name, About: about})
	}
	i := f.ui.Pick(ctx, pick)
	if i < 0 || i == now {
		return "", nil
	}
	return models[i].Name, nil
}

// modelsToPick returns the models that are known, and what tells those that can be
// used as things are, which come first: those of inForce, and of vendors with a key at
// hand.
func (f *front) modelsToPick(ctx context.Context, inForce string) (all []catalog.Model, usable func(catalog.Model) bool) {
	for _, name := range f.settings.ModelNames() {
		if strings.HasSuffix(name, "/") {
			continue // a vendor without a model of its own
		}
		m, _ := f.settings.Known(name)
		m.Name = name
		all = append(all, m)
	}
	reached := map[string]bool{inForce: true}
	usable = func(m catalog.Model) bool {
		vendor := vendorOf(m)
		at, known := reached[vendor]
		if !known {
			_, err := f.settings.ResolveFallback(ctx, m.Name, f.atHand())
			at = err == nil
			reached[vendor] = at
		}
		return at
	}
	slices.SortStableFunc(all, func(a, b catalog.Model) int {
		if usable(a) == usable(b) {
			return 0
		}
		if usable(a) {
			return -1
		}
		return 1
	})
	return all, usable
}

// keyless reports whether a model wants a key, and none is at hand.
func (f *front) keyless(ctx context.Context, m catalog.Model) bool {
	source, err := f.settings.KeySource(ctx, vendorOf(m), f.atHand())
	return source == "" && err == nil && f.settings.WithoutKey(vendorOf(m)) == "none"
}

func vendorOf(m catalog.Model) string {
	vendor, _, _ := strings.Cut(m.Name, "/")
	return vendor
}

// atHand looks for keys where nothing is run for them, and nobody asked.
func (a *app) atHand() config.Keys {
	return config.Keys{
		Command: func(context.Context, string) (string, error) { return keyUnasked, nil },
		Stored:  a.stored().InFile,
	}
}

// aboutModel says in few words what is known of a model.
func aboutModel(m catalog.Model) string {
	var words []string
	if m.Context > 0 {
		words = append(words, render.Tokens(int64(m.Context))+" tokens")
	}
	if in, out, _ := prices(m.Price); in != "" {
		words = append(words, "$"+in+" in, $"+out+" out")
	}
	if l := levels(m); l != "" {
		words = append(words, "thinks "+l)
	}
	return safetext.Terminal(strings.Join(words, " · "))
}

// modelOf returns the name of the model that is asked, which a command may be
// changing.
func (f *front) modelOf(w *work) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return w.agent.ModelName
}

// modelWithLevel returns a model as a person names it.
func modelWithLevel(name string, level ikigai.Level) string {
	if level == ikigai.LevelDefault {
		return name
	}
	return name + ":" + string(level)
}

// think has the model think more or less from here on.
func (f *front) think(ctx context.Context, level string) error {
	if level == "" {
		return usage("It is not said how much", "Use "+strings.Join(config.LevelNames(), ", "))
	}
	if !slices.Contains(config.LevelNames(), level) {
		return usage(fmt.Sprintf("%q is no level of thinking", clipped(level)), "Use "+strings.Join(config.LevelNames(), ", "))
	}
	if err := f.idle(ctx); err != nil {
		return err
	}
	w, err := f.opened(ctx)
	if err == nil {
		err = f.askable(ctx) // else there is no model to tell
	}
	if err != nil {
		return err
	}
	e := w.endpoint
	e.Level = ikigai.Level(level)
	w.goOnWith(e)
	f.mu.Lock()
	w.agent.Level = e.Level
	f.mu.Unlock()
	f.tellOfLevel(w.endpoint)
	f.tells("The model is " + modelWithLevel(w.agent.ModelName, w.agent.Level) + " from here on.")
	return nil
}

// completeModel offers models and, once one is typed, its levels.
func completeModel(_ context.Context, f *front, typed string) (items []tui.Completion) {
	for _, name := range f.settings.ModelNames() {
		m, _ := f.settings.Known(name)
		items = append(items, tui.Completion{Text: name, About: aboutModel(m), More: strings.HasSuffix(name, "/")})
	}
	if name, _, found := strings.Cut(typed, ":"); found {
		m, _ := f.settings.Known(name)
		for _, level := range strings.Fields(levels(m)) {
			items = append(items, tui.Completion{Text: name + ":" + level})
		}
	}
	return items
}

func completeLevel(context.Context, *front, string) (items []tui.Completion) {
	for _, level := range config.LevelNames() {
		items = append(items, tui.Completion{Text: level})
	}
	return items
}
