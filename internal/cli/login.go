package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/provider"
	"ikigai/internal/provider/anthropic"
	"ikigai/internal/provider/gemini"
	"ikigai/internal/secret"
)

const (
	maxKey       = 16 << 10         // bytes of input that are read for a key
	keyCheckTime = 20 * time.Second // for the request that tries a key
)

func (a *app) loginCommand() *cobra.Command {
	var inFile bool
	cmd := &cobra.Command{
		Use:   "login [VENDOR]",
		Short: "Store the key of a model vendor, or list where keys come from",
		Long: `Store the key of a model vendor in the keyring of the system. The key is asked
for at the terminal, where it is not shown, or read from standard input. It is
tried with a request that costs nothing before it is stored: most often for the
list of models, which tells nothing of the key where a server shows it to anybody.

A key in the environment, and a command in the settings that prints one, come
before a stored key. Without VENDOR, all vendors are listed with where their key
comes from.`,
		Example: `  ikigai login openai
  pass show anthropic | ikigai login anthropic
  ikigai login`,
		Args:              between(0, 1),
		ValidArgsFunction: a.completeVendors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.listKeys(cmd.Context())
			}
			return a.login(cmd.Context(), args[0], inFile)
		},
	}
	cmd.Flags().BoolVar(&inFile, "file", false, "store the key in a file that only you can read, not in the keyring")
	return cmd
}

func (a *app) logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "logout VENDOR",
		Short:             "Remove the stored key of a model vendor",
		Args:              between(1, 1),
		ValidArgsFunction: a.completeVendors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			return a.logout(cmd.Context(), args[0])
		},
	}
}

// login takes a key, tries it and stores it.
func (a *app) login(ctx context.Context, vendor string, inFile bool) error {
	if err := a.settings.TakesKey(vendor); err != nil {
		return err
	}
	store := a.stored()
	if err := store.HasKeyring(ctx); err != nil && !inFile {
		what := "The key cannot be stored: " + strings.TrimSuffix(err.Error(), ".")
		if errors.Is(err, secret.ErrNoKeyring) {
			what = "There is no keyring here to store the key in"
		}
		return usage(what, "Run `ikigai login "+vendor+" --file` to keep it in "+store.File+
			", as plain text that only you can read, or export "+a.keyVariable(vendor))
	}
	key, err := a.readKey(vendor)
	if err != nil {
		return err
	}
	a.key = key // it is in no notice and no error from here on
	if err := config.CheckKey(key, "The input"); err != nil {
		return err
	}
	if err := a.tryKey(ctx, vendor, key); err != nil {
		return err
	}
	place := secret.Keyring
	if inFile {
		place = store.File
		err = store.SetInFile(ctx, vendor, key)
	} else {
		err = store.Set(ctx, vendor, key)
	}
	if err != nil {
		return usage("The key could not be stored: "+strings.TrimSuffix(err.Error(), "."), "Export "+a.keyVariable(vendor)+" instead")
	}
	a.notice("The key of " + vendor + " is stored in " + place + ".")
	return a.tellOfOther(ctx, vendor)
}

// readKey asks for a key without showing it, or reads it from standard input.
func (a *app) readKey(vendor string) (string, error) {
	if !a.inputIsTerminal() {
		input, err := io.ReadAll(io.LimitReader(a.In, maxKey))
		if err != nil {
			return "", usage("The key cannot be read from standard input: "+err.Error(), "Run it at a terminal")
		}
		return strings.TrimSpace(string(input)), nil
	}
	in := int(a.In.(*os.File).Fd())
	before, err := term.MakeRaw(in) // before it is asked for, so that none of it is shown
	if err != nil {
		return "", usage("The key cannot be read from the terminal: "+err.Error(), "Give it on standard input")
	}
	defer func() { _ = term.Restore(in, before) }() // there is nothing else to try
	input, err := term.NewTerminal(typing{a.In, a.Err}, "").ReadPassword("Key of " + vendor + " (it is not shown): ")
	switch {
	case errors.Is(err, io.EOF): // Ctrl-C, too
		return "", &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "No key was given", Do: "Run it again"}
	case err != nil:
		return "", usage("The key cannot be read from the terminal: "+err.Error(), "Give it on standard input")
	}
	return strings.TrimSpace(input), nil
}

// typing is a terminal to read from and to write to.
type typing struct {
	io.Reader
	io.Writer
}

// tryKey asks the vendor for what only a good key gets answered: its models, or
// what its preset names. Only a key that the vendor refuses is an error; where it
// cannot be tried, the person is told.
func (a *app) tryKey(ctx context.Context, vendor, key string) error {
	e, err := a.settings.ResolveWithKey(vendor, key)
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, keyCheckTime)
		defer cancel()
		if path := a.settings.Vendors[vendor].KeyCheck; path != "" {
			err = provider.CheckKey(ctx, a.listing(e), path)
		} else {
			_, err = provider.List(ctx, a.listing(e))
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return err
	}
	if ikigai.KindOf(err) == ikigai.ErrorAuth {
		return err
	}
	a.notice("The key could not be tried. " + err.Error())
	return nil
}

// listing returns how an endpoint is asked for its models.
func (a *app) listing(e config.Endpoint) provider.Config {
	switch cfg := a.client(e); e.API {
	case config.APIAnthropic:
		return anthropic.Prepare(cfg)
	case config.APIGemini:
		return gemini.Prepare(cfg)
	default:
		return cfg
	}
}

// logout removes a key.
func (a *app) logout(ctx context.Context, vendor string) error {
	if err := a.settings.TakesKey(vendor); err != nil {
		return err
	}
	places, err := a.stored().Delete(ctx, vendor)
	switch {
	case err != nil:
		return usage("The key of "+vendor+" could not be removed: "+strings.TrimSuffix(err.Error(), "."), "Remove it with the tools of the system")
	case len(places) == 0:
		return usage("No key of "+vendor+" is stored", "See `ikigai login`")
	}
	a.notice("The key of " + vendor + " is removed from " + strings.Join(places, " and ") + ".")
	return a.tellOfOther(ctx, vendor)
}

// tellOfOther tells of a key that comes before a stored one.
func (a *app) tellOfOther(ctx context.Context, vendor string) error {
	source, err := a.settings.KeySource(ctx, vendor, config.Keys{})
	if err != nil || source == "" {
		return err
	}
	a.notice("The key that is used comes from " + source + ", before any that is stored.")
	return nil
}

// listKeys prints where the keys of all vendors come from.
func (a *app) listKeys(ctx context.Context) error {
	var rows [][]string
	keys := config.Keys{Stored: a.stored().Get}
	for _, name := range a.settings.VendorNames() {
		source, err := a.settings.KeySource(ctx, name, keys)
		if err != nil {
			a.notice(sentence(err.Error()))
			keys.Stored = nil // it will say the same of the next
		}
		if source == "" {
			source = a.settings.WithoutKey(name)
		}
		rows = append(rows, []string{name, source})
	}
	_, err := fmt.Fprint(a.Out, a.style(a.Out).Table([]string{"VENDOR", "KEY"}, rows))
	return err
}

// keyVariable returns the first variable that a vendor's key is looked for in.
func (a *app) keyVariable(vendor string) string {
	name, _, _ := strings.Cut(a.settings.Vendors[vendor].KeyEnv, " ")
	return name
}

// completeVendors offers the vendors that take a key.
func (a *app) completeVendors(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	if a.load() != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	for _, name := range a.settings.VendorNames() {
		if a.settings.TakesKey(name) == nil {
			all = append(all, name)
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}
