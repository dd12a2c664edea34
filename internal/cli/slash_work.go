package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/safetext"
	"ikigai/internal/tui"
)

func workCommands() []slash {
	return []slash{
		{name: "compact", about: "send the beginning of the conversation in fewer words from now on",
			more: "Old results are left out first, each with the name of a file that holds it, then whole statements are summed up by the model. The log keeps everything.",
			run:  (*front).makeRoom},
		{name: "commit", args: "[--all] [HINT]", about: "commit what is staged in Git, with a message that the model writes",
			more:     "You see the message first, and can edit it. With --all it is for all changes of tracked files. HINT is what the model is told of the change.",
			complete: func(context.Context, *front, string) []tui.Completion { return []tui.Completion{{Text: "--all"}} },
			run:      (*front).commitChange},
		{name: "export", args: "[FORMAT] [FILE]", about: "write the session to a file, without keys",
			more:     "FORMAT is " + strings.Join(formatNames, ", ") + "; the end of FILE says it, too. Without FILE it is a new one in the working directory. A file that is there is left as it is.",
			complete: completeFormat, run: (*front).exportSession},
	}
}

// makeRoom has the conversation sent in fewer words.
func (f *front) makeRoom(ctx context.Context, _ string) error {
	w, err := f.changing(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	mute := f.unasked != nil
	f.mu.Unlock()
	f.echo()
	f.ui.Busy("making room")
	said, err := w.compactNow(ctx, mute)
	switch {
	case err != nil:
		return err
	case said == "":
		said = fmt.Sprintf("The conversation, about %d tokens, cannot take noticeably less room. Begin anew with /clear, or go on.", w.line.Tokens())
	}
	f.tells(said)
	return nil
}

// commitChange has a message written for what is staged, asks, and commits.
func (f *front) commitChange(ctx context.Context, args string) error {
	var s scope
	hint := args
	if first, rest := cutWord(args); first == "--all" || first == "-a" {
		s.all, hint = true, rest
	}
	if err := f.idle(ctx); err != nil {
		return err
	}
	repo, err := openRepository(ctx, f.dir, f.withoutSecrets())
	if err != nil {
		return err
	}
	c, err := repo.change(ctx, s)
	if errors.Is(err, errNothing) {
		return s.nothing()
	}
	if err != nil {
		return asError(err)
	}
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	if err := f.askable(ctx); err != nil {
		return err
	}
	f.print(f.harmless(c.summary()) + "\n")
	f.ui.Busy("waiting for a commit message")
	message, err := w.commitMessage(ctx, repo, c, hint)
	if err != nil {
		return err
	}
	if message, err = f.agreeOn(ctx, repo, message); err != nil {
		return err
	}
	// Hooks, and who signs, may want to ask at the terminal.
	return f.away(func() error {
		_, _ = fmt.Fprintln(f.Out) // Git's words stand apart from the message
		return repo.commit(ctx, s, message, f.Out, f.Err)
	})
}

// agreeOn asks the person about the message of a commit until they want it
// or not, and returns it as they have edited it.
func (f *front) agreeOn(ctx context.Context, repo *repository, message string) (string, error) {
	const yes, no, edit = 0, 1, 2
	for {
		answer := f.ui.Ask(ctx, tui.Question{
			Text:    "    " + strings.ReplaceAll(safetext.Terminal(message), "\n", "\n    ") + "\n",
			Prompt:  "Commit with this message?",
			Choices: []tui.Choice{yes: {Key: 'y', Label: "yes", Allows: true}, no: {Key: 'n', Label: "no"}, edit: {Key: 'e', Label: "edit it"}},
		})
		switch answer.Choice {
		case yes:
			return message, nil
		case edit:
			err := f.away(func() (err error) {
				message, err = repo.edit(ctx, message, os.Stdin, f.Out)
				return err
			})
			if err != nil {
				return "", err
			}
			if message = tidied(message); message == "" {
				return "", notCommitted("The message is empty", "Leave some words in it")
			}
		default:
			return "", notCommitted("Nothing was committed", "Answer y to commit, or e to edit the message")
		}
	}
}

// exportSession writes the session to a file.
func (f *front) exportSession(ctx context.Context, args string) error {
	w, err := f.spoken(ctx)
	if err != nil {
		return err
	}
	o, err := f.exportOptions(w.session.ID(), args)
	if err == nil {
		err = notThere(o)
	}
	if err != nil {
		return err
	}
	_, _ = w.session.Record(ctx) // what is queued
	info, err := f.find(ctx, w.reads, which{id: string(w.session.ID())})
	if err != nil {
		return err
	}
	if err := f.exportSessions(ctx, w.reads, []ikigai.SessionInfo{info}, o); err != nil {
		return err
	}
	f.tells("The session is in " + o.out + " now.")
	return nil
}

// exportOptions reads what follows /export.
func (f *front) exportOptions(id ikigai.ID, args string) (exportOptions, error) {
	o := exportOptions{format: "markdown"}
	word, file := cutWord(args)
	near := config.Nearest(word, formatNames)
	switch {
	case slices.Contains(formatNames, word):
		o.format = word
	case word != "" && !strings.ContainsAny(word, "./") && (file == "" || len(near) > 0):
		return o, noFormat(word, near)
	case word != "":
		file = args
		if end := filepath.Ext(file); end != "" {
			o.format = formatOf(end)
		}
		if o.format == "" {
			return o, usage("It is not known what form "+clipped(file)+" is to have", "Put one before it: "+strings.Join(formatNames, ", "))
		}
	}
	suffix := formats[o.format].suffix
	if o.format == formatArchive {
		suffix = "." + formatArchive
	}
	usual := fmt.Sprintf("ikigai-%.8s%s", id, suffix)
	if o.out = cmp.Or(file, usual); !filepath.IsAbs(o.out) {
		o.out = filepath.Join(f.dir, o.out)
	}
	if info, err := os.Stat(o.out); err == nil && info.IsDir() {
		o.out = filepath.Join(o.out, usual)
	}
	return o, nil
}

// noFormat is the error that a word names no format of an export.
func noFormat(word string, near []string) error {
	do := "Use " + strings.Join(formatNames, ", ")
	if len(near) > 0 {
		do = "Perhaps " + strings.Join(near, " or ") + " is meant"
	}
	return usage("There is no format "+clipped(word), do+"; a file with such a name is ./"+clipped(word))
}

// notThere refuses to export to a file that is there already, be it an earlier
// export.
func notThere(o exportOptions) error {
	if _, err := os.Lstat(o.out); err != nil {
		return nil
	}
	end := filepath.Ext(o.out)
	for n := 2; ; n++ {
		free := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(o.out, end), n, end)
		if _, err := os.Lstat(free); err != nil {
			return usage("The file "+o.out+" is there already", "Name another one, as in /export "+o.format+" "+free)
		}
	}
}

// formatOf returns the format of files with an end, "" if there is none.
func formatOf(end string) string {
	if end == "."+formatArchive {
		return formatArchive
	}
	for _, name := range formatNames {
		if formats[name].suffix == end {
			return name
		}
	}
	return ""
}

func completeFormat(context.Context, *front, string) (items []tui.Completion) {
	for _, name := range formatNames {
		items = append(items, tui.Completion{Text: name})
	}
	return items
}
