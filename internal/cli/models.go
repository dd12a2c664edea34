package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/catalog"
	"ikigai/internal/provider"
	"ikigai/internal/render"
)

// modelOptions are the flags of models.
type modelOptions struct {
	vendor string
	ask    bool
	json   bool
}

func (a *app) modelsCommand() *cobra.Command {
	var o modelOptions
	cmd := &cobra.Command{
		Use:   "models [VENDOR]",
		Short: "List models: how much they take, what they can do, what they cost",
		Long: `List the models that are known, or those of one vendor.

IN and OUT are US dollars per million tokens, CACHED is the price of what the
vendor has in its cache. LEVELS are what can stand behind the name of a model, as
in openai/gpt-5:low, or in --thinking. The figures come with the program, of the
date and from the place that --json shows; models in the settings overrides them,
and a model that is not listed works, too. More than one price has a model whose
long requests cost more; --json shows both.

With --ask the vendor itself is asked for its list, with your key. Nothing else
of this command uses the network.`,
		Args: between(0, 1),
		Example: `  ikigai models
  ikigai models anthropic
  ikigai models --ask ollama`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.vendor = args[0]
			}
			return a.models(cmd.Context(), o)
		},
		ValidArgsFunction: a.completeVendorNames,
	}
	cmd.Flags().BoolVar(&o.ask, "ask", false, "ask the vendor for its own list")
	cmd.Flags().BoolVar(&o.json, "json", false, "a line of JSON for each")
	return cmd
}

// completeVendorNames offers all vendors.
func (a *app) completeVendorNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if a.load() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.settings.VendorNames(), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) models(ctx context.Context, o modelOptions) error {
	if err := a.load(); err != nil {
		return err
	}
	if o.vendor != "" {
		if err := a.settings.CheckVendor(o.vendor); err != nil {
			return err
		}
	}
	models := a.settings.AllKnown()
	if o.ask {
		var err error
		if models, err = a.askForModels(ctx, o.vendor); err != nil {
			return err
		}
	} else if o.vendor != "" {
		models = slices.DeleteFunc(models, func(m catalog.Model) bool { return !strings.HasPrefix(m.Name, o.vendor+"/") })
	}
	if o.json {
		return buffered(a.Out, func(w io.Writer) error { return writeModels(w, models) })
	}
	if len(models) == 0 && o.ask {
		a.notice(o.vendor + " lists no models.")
		return nil
	}
	if len(models) == 0 {
		a.notice("Nothing is known of the models of " + o.vendor + ". Ask it for its list: `ikigai models --ask " + o.vendor + "`.")
		return nil
	}
	_, err := io.WriteString(a.Out, a.style(a.Out).Table(modelHead, modelRows(models)))
	return err
}

// askForModels returns what a vendor says of its models, and over it what is
// known of them here.
func (a *app) askForModels(ctx context.Context, vendor string) ([]catalog.Model, error) {
	if vendor == "" {
		return nil, usage("--ask does not say whom", "Name a vendor, such as `ikigai models --ask openai`")
	}
	endpoint, err := a.settings.ResolveVendor(ctx, vendor, a.keys())
	if err != nil {
		return nil, err
	}
	a.key = endpoint.Key
	listed, err := provider.List(ctx, a.listing(endpoint))
	if err != nil {
		return nil, err
	}
	var models []catalog.Model
	for _, l := range listed {
		m, _ := a.settings.Known(vendor + "/" + l.Name)
		m.Name = vendor + "/" + l.Name
		m.Context, m.Output = cmp.Or(m.Context, l.Context), cmp.Or(m.Output, l.Output)
		models = append(models, m)
	}
	return models, nil
}

var modelHead = []string{"MODEL", "CONTEXT", "OUTPUT", "IN", "OUT", "CACHED", "LEVELS", "TAKES"}

func modelRows(models []catalog.Model) [][]string {
	rows := make([][]string, len(models))
	for i, m := range models {
		in, out, cached := prices(m.Price)
		rows[i] = []string{m.Name, tokenCount(m.Context), tokenCount(m.Output), in, out, cached, levels(m), takes(m)}
	}
	return rows
}

func tokenCount(n int) string {
	if n == 0 {
		return ""
	}
	return render.Tokens(int64(n))
}

func prices(p *catalog.Price) (in, out, cached string) {
	if p == nil {
		return "", "", ""
	}
	dollars := func(amount float64) string { return strconv.FormatFloat(amount, 'f', -1, 64) }
	if p.CacheRead != nil {
		cached = dollars(*p.CacheRead)
	}
	return dollars(p.Input), dollars(p.Output), cached
}

// levels returns the levels that can be asked of m, the least first.
func levels(m catalog.Model) string {
	var names []string
	for _, level := range ikigai.Levels() {
		if _, ok := m.Levels[level]; ok {
			names = append(names, string(level))
		}
	}
	return strings.Join(names, " ")
}

// takes returns what m takes beside text, as far as it is known.
func takes(m catalog.Model) string {
	if m.Source == "" {
		return ""
	}
	var words []string
	for _, ability := range []struct {
		lacks bool
		name  string
	}{{m.NoTools, "tools"}, {m.NoImages, "images"}, {m.NoFiles, "pdf"}, {m.NoFormat, "schema"}} {
		if !ability.lacks {
			words = append(words, ability.name)
		}
	}
	return strings.Join(words, " ")
}

// modelLine is a model in the output of --json.
type modelLine struct {
	Name     string                           `json:"name"`
	Context  int                              `json:"context,omitempty"`
	Output   int                              `json:"output,omitempty"`
	Price    *catalog.Price                   `json:"price,omitempty"`
	Levels   map[ikigai.Level]ikigai.Thinking `json:"levels,omitempty"`
	NoTools  bool                             `json:"no_tools"`
	NoImages bool                             `json:"no_images"`
	NoFiles  bool                             `json:"no_files"`
	NoFormat bool                             `json:"no_format"`
	AsOf     string                           `json:"as_of,omitempty"`
	Source   string                           `json:"source,omitempty"`
}

func writeModels(w io.Writer, models []catalog.Model) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, m := range models {
		l := modelLine{m.Name, m.Context, m.Output, m.Price, m.Levels, m.NoTools, m.NoImages, m.NoFiles, m.NoFormat, m.AsOf, m.Source}
		if err := enc.Encode(l); err != nil {
			return fmt.Errorf("write the models: %w", err)
		}
	}
	return nil
}
