package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/archive"
	"ikigai/internal/foreign"
	"ikigai/internal/render"
)

// headSize is how much of a file is looked at to tell its format.
const headSize = 64 << 10

func (a *app) importCommand() *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Bring sessions into the database: archives, and those of other agents",
		Long: `Bring sessions into the database: archives that ` + "`ikigai export`" + ` wrote, and session
files of Claude Code, Codex and pi. Of a directory all .jsonl and .json files in
it that are such are taken; "-" is standard input. The format is found out.

What is there already stays and is not added again, so that an import may be
repeated, and a file that has grown adds what is new.`,
		Example: `  ikigai import backup.jsonl
  ikigai import ~/.claude/projects
  ikigai import --dry-run ~/.codex/sessions`,
		Args: between(1, 1<<20),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.app = a
			return i.run(cmd.Context(), args)
		},
	}
	cmd.Flags().BoolVar(&i.dry, "dry-run", false, "tell what would be imported, and change nothing")
	cmd.Flags().BoolVar(&i.rename, "rename", false, "make new sessions of what differs from a session that is there")
	cmd.Flags().BoolVarP(&i.verbose, "verbose", "v", false, "tell of every file what was not taken over")
	return cmd
}

// importing is one import.
type importing struct {
	*app
	dry, rename, verbose bool

	store ikigai.Store
	meter *meter

	report   archive.Report
	files    int            // that sessions were found in
	passed   int            // of directories, that are no session files
	failed   error          // the first error of a file
	warnings map[string]int // how often something was not taken over
	order    []string       // of warnings
}

func (i *importing) run(ctx context.Context, paths []string) (err error) {
	if err := i.loadToRead(); err != nil {
		return err
	}
	ctx, stop := i.stoppable(ctx)
	defer stop()
	if !i.dry {
		if i.store, err = i.storeNow(ctx); err != nil {
			return stopped(ctx, err)
		}
		defer i.store.Close()
	}
	i.meter, i.warnings = i.newMeter(), map[string]int{}
	for _, path := range paths {
		if err := i.path(ctx, path); err != nil {
			i.meter.end()
			return stopped(ctx, err)
		}
	}
	i.meter.end()
	return i.end()
}

// path imports a file, the files of a directory, or the input. Its error ends
// the import; what is wrong with a single file is told, and the rest goes on.
func (i *importing) path(ctx context.Context, path string) error {
	if path == "-" {
		return i.tell(path, i.stream(ctx, i.In, "standard input", 0))
	}
	info, err := os.Stat(path)
	if err != nil {
		return usage("The file "+path+" cannot be read: "+cause(err), "Check the path")
	}
	if !info.IsDir() {
		return i.tell(path, i.file(ctx, path, info))
	}
	return i.dir(ctx, path)
}

// dir imports the session files below a directory.
func (i *importing) dir(ctx context.Context, path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // else the walk would end at a link
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return i.tell(path, usage("The directory "+path+" cannot be read: "+cause(err), "Check who may read it"))
		}
		if !d.Type().IsRegular() || !slices.Contains([]string{".jsonl", ".json"}, filepath.Ext(path)) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // it has gone meanwhile
		}
		err = i.file(ctx, path, info)
		if errors.Is(err, errNoSession) {
			i.passed++
			return ctx.Err()
		}
		return i.tell(path, err)
	})
}

// tell tells of an error with one file. It returns those that no other file
// will do without.
func (i *importing) tell(path string, err error) error {
	switch kind := ikigai.KindOf(err); {
	case err == nil:
		return nil
	case kind != ikigai.ErrorUsage:
		return err
	case i.failed == nil:
		i.failed = err
	}
	i.meter.end()
	i.notice(path + ": " + err.Error())
	return nil
}

// errNoSession means that a file is of no format that can be imported, or holds
// no conversation.
var errNoSession = errors.New("no session file")

func noSession(what, do string) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: what, Do: do, Err: errNoSession}
}

func (i *importing) file(ctx context.Context, path string, info fs.FileInfo) error {
	f, err := os.Open(path)
	if err != nil {
		return usage("It cannot be read: "+cause(err), "Check who may read it")
	}
	defer f.Close()
	return i.stream(ctx, f, path, ikigai.MicrosOf(info.ModTime()))
}

// stream imports what r holds, of whatever format. changed is when it was
// changed last.
func (i *importing) stream(ctx context.Context, r io.Reader, name string, changed ikigai.Micros) error {
	in := bufio.NewReaderSize(r, headSize)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return usage("It cannot be read: "+cause(err), "Check where it comes from")
	}
	if archive.IsArchive(head) {
		return i.archive(ctx, in)
	}
	if _, err := foreign.Detect(head); err != nil {
		return noSession("This is no session file of a known format", "Import archives of `ikigai export` and session files of Claude Code, Codex and pi")
	}
	return i.foreign(ctx, in, name, changed)
}

func (i *importing) archive(ctx context.Context, r io.Reader) error {
	i.files++
	if i.dry {
		contents, err := archive.Check(ctx, r)
		i.report.Contents.Sessions += contents.Sessions
		i.report.Contents.Events += contents.Events
		return err
	}
	report, err := archive.Read(ctx, r, i.store, archive.ReadOptions{Rename: i.rename, Progress: i.meter.archived("importing")})
	i.report.Outcomes = append(i.report.Outcomes, report.Outcomes...)
	i.report.Added += report.Added
	i.report.Known += report.Known
	return err
}

// foreign imports a session file of another agent.
func (i *importing) foreign(ctx context.Context, r io.Reader, name string, changed ikigai.Micros) error {
	file, err := foreign.Read(r, changed)
	var none *ikigai.Error
	if errors.As(err, &none) {
		return noSession(none.What, none.Do)
	} else if err != nil {
		return usage("It cannot be read: "+cause(err), "Check where it comes from")
	}
	i.files++
	i.meter.tell("importing: %s", name)
	var adder *archive.Adder
	if !i.dry {
		adder = archive.NewAdder(i.store, archive.ReadOptions{Rename: i.rename})
	}
	for _, s := range file.Sessions {
		i.report.Contents.Sessions++
		i.report.Contents.Events += int64(len(s.Events))
		if i.dry {
			continue
		}
		outcome, err := adder.Add(ctx, archive.Session{ID: s.ID, Parent: s.Parent, Base: s.Base}, each(s.Events))
		i.report.Outcomes = append(i.report.Outcomes, outcome)
		i.report.Added += outcome.Added
		i.report.Known += outcome.Known
		if err != nil {
			return err
		}
	}
	i.warn(name, file.Warnings)
	return nil
}

// each yields events as a log does.
func each(events []ikigai.Event) func(func(ikigai.Event, error) bool) {
	return func(yield func(ikigai.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// warn tells, or counts, what of a file was not taken over.
func (i *importing) warn(name string, warnings []foreign.Warning) {
	for _, w := range warnings {
		if i.verbose {
			i.meter.end()
			i.notice(name + ": " + w.String())
			continue
		}
		if i.warnings[w.What] == 0 {
			i.order = append(i.order, w.What)
		}
		i.warnings[w.What] += w.Count
	}
}

// end tells what was done.
func (i *importing) end() error {
	if len(i.order) > 0 {
		i.notice(i.leftOut())
	}
	if i.passed > 0 {
		i.notice(render.Count(i.passed, "file") + " passed over: no session files of a known format.")
	} else if i.files == 0 && i.failed == nil {
		i.notice("There is no session file. They end in .jsonl or .json.")
	}
	if err := i.done(); err != nil {
		return err
	}
	if i.failed != nil {
		return &quietError{exitCode(i.failed)}
	}
	return nil
}

// done tells what is in the database now, or would be.
func (i *importing) done() error {
	from := render.Count(i.files, "file")
	switch {
	case i.files == 0:
		return nil
	case i.dry:
		return i.reported(i.report, fmt.Sprintf("%s with %s in %s would be imported, as far as they are not there already",
			render.Count(int(i.report.Contents.Sessions), "session"), render.Count(int(i.report.Contents.Events), "event"), from))
	}
	return i.reported(i.report, fmt.Sprintf("%s in %s imported from %s", render.Count(int(i.report.Added), "event"), changed(i.report), from))
}

// leftOut tells of what was not taken over, the most frequent by name.
func (i *importing) leftOut() string {
	const most = 3
	slices.SortStableFunc(i.order, func(a, b string) int { return i.warnings[b] - i.warnings[a] })
	all := 0
	for _, n := range i.warnings {
		all += n
	}
	text := "Not everything has a counterpart here: " + strings.Join(i.order[:min(most, len(i.order))], "; ")
	if n := len(i.order) - most; n > 0 {
		text += fmt.Sprintf("; and %s of other kinds", render.Count(n, "thing"))
	}
	return fmt.Sprintf("%s (%s in all). --verbose tells where.", text, render.Count(all, "line"))
}
