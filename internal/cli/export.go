package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/archive"
	"ikigai/internal/export"
	"ikigai/internal/render"
	"ikigai/internal/safetext"
)

// exportOptions are the flags of export.
type exportOptions struct {
	all      bool
	format   string
	out      string
	keepKeys bool
	expect   bool
}

const formatArchive = "jsonl"

// formats are the forms that a session is exported in, beside the archive, with
// the ends of their files.
var formats = map[string]struct {
	suffix string
	write  func(io.Writer, export.Events, export.Options) error
}{
	"markdown": {".md", export.Markdown},
	"html":     {".html", export.HTML},
	"atif":     {".json", export.ATIF},
	"script":   {".script", export.Script},
}

// formatNames are the values of --format.
var formatNames = []string{formatArchive, "markdown", "html", "atif", "script"}

func (a *app) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [ID...]",
		Short: "Write sessions for others, or for another database",
		Long: `Write sessions to standard output or a file: the last one of this directory, or
those whose IDs begin with ID.

  jsonl     an archive with everything, which ` + "`ikigai import`" + ` reads
  markdown  for reading where Markdown is shown
  html      one page that needs nothing else
  atif      a trajectory in the Agent Trajectory Interchange Format
  script    the conversation, for ` + "`ikigai demo`, `run --script` and `replay`" + ` to play again

Keys are taken out: those of all vendors that the settings know, and whatever has
the form of a well-known key. A request that held one cannot be rebuilt from the
archive; --keep-keys leaves everything as it is.

Of several sessions, an archive is one file; in the other formats each is a file
in the directory that --output names.`,
		Example: `  ikigai export --format html -o session.html
  ikigai export 01a1f9ef-60c7 --format markdown
  ikigai export --all -o backup.jsonl`,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.completeSessions(cmd), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), args, o) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "all sessions of the database")
	f.StringVar(&o.format, "format", formatArchive, "`FORMAT`: "+strings.Join(formatNames, ", "))
	f.StringVarP(&o.out, "output", "o", "", "write to `FILE`, which is replaced when everything is written")
	f.BoolVar(&o.keepKeys, "keep-keys", false, "leave keys in")
	f.BoolVar(&o.expect, "expect", false, "in a script, expect a short part of each result")
	complete(cmd, "format", fixed(formatNames...))
	return cmd
}

func (a *app) export(ctx context.Context, ids []string, o exportOptions) error {
	if o.all && len(ids) > 0 {
		return usage("--all and IDs exclude each other", "Leave one of the two out")
	}
	if !slices.Contains(formatNames, o.format) {
		return usage(fmt.Sprintf("There is no format %q", o.format), "Use "+strings.Join(formatNames, ", "))
	}
	if o.expect && o.format != "script" {
		return usage("--expect is for scripts", "Add --format script")
	}
	return a.withStore(ctx, func(ctx context.Context, store ikigai.Store) error {
		a.deliverNow(ctx, store, a.notice)
		sessions, err := a.toExport(ctx, store, ids, o.all)
		if err != nil {
			return err
		}
		return a.exportSessions(ctx, store, sessions, o)
	})
}

// exportSessions writes sessions as o says.
func (a *app) exportSessions(ctx context.Context, store ikigai.Store, sessions []ikigai.SessionInfo, o exportOptions) error {
	var redact func(string) string
	if !o.keepKeys {
		redact = a.redactor(ctx)
	}
	if o.format == formatArchive {
		return a.exportArchive(ctx, store, sessions, o, redact)
	}
	return a.exportPages(ctx, store, sessions, o, redact)
}

// toExport returns the sessions to export.
func (a *app) toExport(ctx context.Context, store ikigai.Store, ids []string, all bool) ([]ikigai.SessionInfo, error) {
	switch {
	case all:
		found, err := collect(store.Sessions(ctx, ikigai.SessionQuery{Order: ikigai.ByCreated, Reversed: true}))
		if err == nil && len(found) == 0 {
			err = usage("There are no sessions to export", "Begin one with `ikigai run PROMPT`")
		}
		return found, err
	case len(ids) == 0:
		ids = []string{""}
	}
	var sessions []ikigai.SessionInfo
	for _, id := range ids {
		found, err := a.find(ctx, store, which{last: id == "", id: id})
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, found)
	}
	return sessions, nil
}

// redactor returns what takes keys out of a text: those that are known, of the
// model in force too, and those that look like one.
func (a *app) redactor(ctx context.Context) func(string) string {
	if e, err := a.settings.Resolve(ctx, a.keys()); err == nil {
		a.hidden.add(e.Key)
	}
	known := safetext.NewRedactor(a.secrets())
	return func(s string) string { return safetext.RedactKeys(known.Redact(s)) }
}

func (a *app) exportArchive(ctx context.Context, store ikigai.Store, sessions []ikigai.SessionInfo, o exportOptions, redact func(string) string) error {
	var ids []ikigai.ID
	if !o.all { // of all sessions, none need be named
		for _, s := range sessions {
			ids = append(ids, s.ID)
		}
	}
	m := a.newMeter()
	defer m.end()
	var contents archive.Contents
	err := a.exportTo(o.out, func(w io.Writer) (err error) {
		contents, err = archive.Write(ctx, w, store, archive.WriteOptions{
			By: "ikigai " + version(), Written: ikigai.MicrosOf(time.Now()), Redact: redact, Progress: m.archived("exporting"),
		}, ids...)
		return err
	})
	m.end()
	if err != nil {
		return err
	}
	if n := contents.Redacted + contents.RedactedBlobs; n > 0 {
		a.notice(fmt.Sprintf("Keys were taken out of %s. They are still in the database.", render.Count(int(n), "text")))
	}
	if o.out != "" {
		a.notice(fmt.Sprintf("%s holds %s with %s.", o.out, render.Count(int(contents.Sessions), "session"), render.Count(int(contents.Events), "event")))
	}
	return nil
}

// exportPages writes each session as a page or the like: one to the output, or
// several into a directory.
func (a *app) exportPages(ctx context.Context, store ikigai.Store, sessions []ikigai.SessionInfo, o exportOptions, redact func(string) string) error {
	form := formats[o.format]
	if o.expect {
		form.write = export.ExpectingScript
	}
	info, err := os.Stat(o.out)
	intoDir := o.out != "" && err == nil && info.IsDir()
	if len(sessions) > 1 && !intoDir {
		return usage(fmt.Sprintf("%d sessions do not fit into one file of this format", len(sessions)), "Name a directory that exists with --output")
	}
	for _, s := range sessions {
		path := o.out
		if intoDir {
			path = filepath.Join(o.out, string(s.ID)+form.suffix)
		}
		options := export.Options{
			Session: s, By: "ikigai " + version(), Location: time.Local, Redact: redact,
			Blob: func(hash string) ([]byte, error) { return store.Blob(ctx, hash) },
		}
		err := a.exportTo(path, func(w io.Writer) error { return form.write(w, a.allEvents(ctx, store, s.ID), options) })
		if err != nil {
			return err
		}
	}
	if intoDir {
		a.notice(fmt.Sprintf("%s holds %s now.", o.out, render.Count(len(sessions), "file")))
	}
	return nil
}

// exportTo has write write to a file, which is there, for its owner alone, once
// everything is written, or to standard output if path is empty. What is no
// file, such as a pipe, is written to as it is.
func (a *app) exportTo(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return a.results(write)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays
	}
	replace := replaceFile
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usage(path+" is a directory", "Name a file in it with --output")
	} else if err == nil && !info.Mode().IsRegular() {
		replace = writeInto
	}
	err := replace(path, write)
	if errors.As(err, new(*fs.PathError)) || errors.As(err, new(*os.LinkError)) {
		return usage("The file "+path+" cannot be written: "+cause(err), "Name another one with --output")
	}
	return err
}

// replaceFile makes what write writes the content of a file, all of it or none.
func replaceFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".ikigai-export-*")
	if err != nil {
		return err
	}
	err = errors.Join(buffered(f, write), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error tells more
	}
	return err
}

func writeInto(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}

// cause returns the text of an error of the file system without path and
// operation.
func cause(err error) string {
	if p := new(fs.PathError); errors.As(err, &p) {
		return p.Err.Error()
	}
	if l := new(os.LinkError); errors.As(err, &l) {
		return l.Err.Error()
	}
	return err.Error()
}
