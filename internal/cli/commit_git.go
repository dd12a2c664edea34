package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ikigai"
)

// repository is the Git repository that a person commits to.
type repository struct {
	program string
	dir     string // in its working tree
	env     []string
}

// scope says what of a working tree a commit takes: what is staged, or all
// changes of tracked files, or those of some paths.
type scope struct {
	all   bool
	paths []string
}

// change is what a commit is about to record, for a reader with little time.
type change struct {
	files    string   // the names of the files, with how much of each has changed
	subjects []string // of the last commits, the newest first
	merge    string   // what git would say of the merge that it concludes, if it does

	diff []string // arguments of git diff that show it
}

const (
	gitTime      = time.Minute // that reading may take
	mostFiles    = 100         // that are named with how much of each has changed
	mostNamed    = 16 << 10    // bytes of their names
	mostSubjects = 10
)

// mostShown is how many files the person is shown of a commit.
const mostShown = 12

// summary is what the person is shown of the files before they are asked.
func (c change) summary() string {
	lines := strings.Split(c.files, "\n")
	last := len(lines) - 1 // says how many they are
	if last <= mostShown {
		return c.files
	}
	return strings.Join(append(lines[:mostShown:mostShown], " …", lines[last]), "\n")
}

// errNothing says that there is nothing to commit.
var errNothing = errors.New("nothing to commit")

// openRepository finds the repository of dir. The error is an *ikigai.Error.
func openRepository(ctx context.Context, dir string, env []string) (*repository, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, usage("There is no git on this machine", "Install it")
	}
	r := &repository{program: program, dir: dir, env: env}
	inside, err := r.ask(ctx, "rev-parse", "--is-inside-work-tree")
	switch {
	case err != nil && strings.Contains(err.Error(), "not a git repository"):
		return nil, usage(dir+" is in no Git repository", "Change to one, or make one with `git init`")
	case err != nil:
		return nil, asError(err)
	case strings.TrimSpace(inside) != "true":
		return nil, usage(dir+" is in no working tree", "Change to one of the repository")
	}
	return r, nil
}

// change reads what a commit of a scope would record. The error wraps errNothing
// where that is nothing.
func (r *repository) change(ctx context.Context, s scope) (c change, err error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	if unmerged, err := r.ask(ctx, "ls-files", "--unmerged"); err != nil {
		return c, err
	} else if unmerged != "" {
		return c, usage("There are files that are not merged", "Resolve them and stage them with `git add`")
	}
	if c.merge = r.merging(ctx); c.merge != "" && len(s.paths) > 0 {
		return c, usage("A merge is committed as a whole", "Leave the paths out")
	}
	if c.diff, err = r.diff(ctx, s); err != nil {
		return c, err
	}
	stat := []string{"diff", fmt.Sprintf("--stat-count=%d", mostFiles), "--stat=100", "--stat-graph-width=10", "--compact-summary"}
	if c.files, err = r.ask(ctx, append(stat, c.diff...)...); err != nil {
		return c, err
	}
	if c.files = strings.TrimRight(c.files, "\n"); c.files == "" {
		if c.merge == "" {
			return c, errNothing
		}
		c.files = "(none has changed)"
	}
	c.files = cutLines(c.files, mostNamed)
	subjects, err := r.ask(ctx, "log", fmt.Sprintf("-n%d", mostSubjects), "--no-merges", "--no-show-signature", "--format=%s")
	if err == nil { // else there is no commit yet
		c.subjects = slices.DeleteFunc(strings.Split(strings.TrimSpace(subjects), "\n"), func(s string) bool { return s == "" })
	}
	return c, nil
}

// merging returns the subject that git has for the merge that is under way, "" if
// there is none.
func (r *repository) merging(ctx context.Context) string {
	if _, err := r.ask(ctx, "rev-parse", "--verify", "--quiet", "MERGE_HEAD"); err != nil {
		return ""
	}
	path, err := r.ask(ctx, "rev-parse", "--git-path", "MERGE_MSG")
	if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	f, openErr := os.Open(path)
	if err != nil || openErr != nil {
		return "Merge"
	}
	defer f.Close()
	subject, _ := readCut(bufio.NewReader(f))
	return cmp.Or(strings.TrimSpace(subject), "Merge")
}

// diff returns the arguments of git diff for a scope. Nothing that settings of
// the repository name is run by it but the filters without which git could not tell
// what a commit would hold.
func (r *repository) diff(ctx context.Context, s scope) ([]string, error) {
	args := []string{"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative", "--find-renames", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=dirty"}
	if !s.all && len(s.paths) == 0 {
		return append(args, "--cached", "--"), nil
	}
	base := "HEAD"
	if _, err := r.ask(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		empty, err := r.ask(ctx, "hash-object", "-t", "tree", "--stdin") // of no commit yet
		if err != nil {
			return nil, err
		}
		base = strings.TrimSpace(empty)
	}
	return append(append(args, base, "--"), s.paths...), nil
}

// patch returns a change in lines, as far as they fit into about so many bytes;
// where it is of many files, the first lines of each.
func (r *repository) patch(ctx context.Context, c change, most int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	each := min(max(most/strings.Count(c.files+"\n", "\n"), leastOfFile), mostOfFile)
	cmd, stderr := r.reading(ctx, append([]string{"diff", "--patch"}, c.diff...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	text, whole := trimPatch(out, most, each)
	if !whole {
		_ = cmd.Process.Kill() // the rest is not wanted
	}
	if err := cmd.Wait(); err != nil && whole {
		return "", gitError(err, stderr)
	}
	return text, ctx.Err()
}

// mostAnswer bounds what git may say but for patches.
const mostAnswer = 1 << 20

// ask returns what git says, its first mostAnswer bytes.
func (r *repository) ask(ctx context.Context, args ...string) (string, error) {
	cmd, stderr := r.reading(ctx, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	said, err := io.ReadAll(io.LimitReader(out, mostAnswer))
	if len(said) == mostAnswer {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		return ikigai.CleanText(string(said)), ctx.Err()
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return "", gitError(err, stderr)
	}
	return ikigai.CleanText(string(said)), nil
}

// reading returns git, ready to be started to read the repository: it changes
// nothing, asks nothing, and runs nothing that settings name.
func (r *repository) reading(ctx context.Context, args ...string) (*exec.Cmd, *bytes.Buffer) {
	safe := []string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", "-c", "protocol.allow=never"}
	cmd := exec.CommandContext(ctx, r.program, append(safe, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.Clone(r.env), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	return cmd, stderr
}

// gitError returns the error of a git that failed, in its own words.
func gitError(err error, stderr *bytes.Buffer) error {
	said, _, _ := strings.Cut(strings.TrimSpace(ikigai.CleanText(stderr.String())), "\n")
	if said = strings.TrimPrefix(said, "fatal: "); said == "" {
		return fmt.Errorf("git: %w", err)
	}
	return fmt.Errorf("git: %s", said)
}

// asError returns an error of git as an *ikigai.Error.
func asError(err error) error {
	var told *ikigai.Error
	if errors.As(err, &told) {
		return err
	}
	if interrupted(err) {
		return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "Stopped", Err: err}
	}
	return usage(sentence(err.Error()), "See what `git status` says")
}

// interrupted reports whether a child was ended by the terminal's interrupt, which
// may have come to it before it came to us.
func interrupted(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT
}

// commit commits a scope with a message, as a person would: hooks run, and what
// they and git say goes to out and err. The error is an *ikigai.Error.
func (r *repository) commit(ctx context.Context, s scope, message string, out, err io.Writer) error {
	args := []string{"commit", "--cleanup=whitespace", "--file=-"}
	if s.all {
		args = append(args, "--all")
	}
	cmd := exec.CommandContext(ctx, r.program, append(append(args, "--"), s.paths...)...)
	cmd.Dir, cmd.Env = r.dir, r.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(message+"\n"), out, err
	whom := 1
	if !hasTerminal() { // at one it must not leave the foreground: signing and hooks may ask there
		cmd.SysProcAttr, whom = &syscall.SysProcAttr{Setpgid: true}, -1 // its hooks and what they started, too
	}
	cmd.Cancel = func() error { return syscall.Kill(whom*cmd.Process.Pid, syscall.SIGTERM) } // so that it takes its locks away
	cmd.WaitDelay = 5 * time.Second
	ended := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ended == nil:
		return nil
	case ctx.Err() != nil || interrupted(ended):
		return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "Git was stopped while it committed", Do: "See what `git status` says"}
	case errors.As(ended, &exit):
		return &ikigai.Error{Kind: ikigai.ErrorInternal, What: fmt.Sprintf("Git did not commit, it ended with exit code %d", exit.ExitCode()),
			Do: "What it said stands above; the message is in the log, too"}
	}
	return &ikigai.Error{Kind: ikigai.ErrorInternal, What: "Git did not commit: " + ended.Error(), Do: "Try `git commit`"}
}

// hasTerminal reports whether the process has a terminal, whatever its standard
// streams are. There, an interrupt comes to all that runs in the foreground.
func hasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err == nil {
		_ = tty.Close()
	}
	return err == nil
}

// edit has the person edit a message in the editor that their git uses, at the
// terminal. The error is an *ikigai.Error.
func (r *repository) edit(ctx context.Context, message string, in io.Reader, terminal io.Writer) (string, error) {
	editor := exec.CommandContext(ctx, r.program, "var", "GIT_EDITOR")
	editor.Dir, editor.Env = r.dir, r.env
	name, err := editor.Output()
	if err != nil {
		return "", usage("Git knows no editor", "Set EDITOR")
	}
	dir, err := os.MkdirTemp("", "ikigai-commit-*")
	if err != nil {
		return "", asError(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "COMMIT_EDITMSG")
	if err := os.WriteFile(path, []byte(message+"\n"), 0o600); err != nil {
		return "", asError(err)
	}
	program := strings.TrimSpace(string(name))
	cmd := exec.CommandContext(ctx, "sh", "-c", program+` "$@"`, program, path)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.dir, r.env, in, terminal, terminal
	if err := cmd.Run(); err != nil {
		return "", editorError(ctx, program, err)
	}
	edited, err := os.ReadFile(path)
	if err != nil {
		return "", asError(err)
	}
	return string(edited), nil
}

// editorError returns the error of an editor that failed. One that was there and
// says no, as vi does on :cq, is how a person calls the commit off.
func editorError(ctx context.Context, program string, err error) error {
	const notRunnable, notFound = 126, 127 // as sh has them
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil || interrupted(err):
		return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "Stopped", Err: err}
	case errors.As(err, &exit) && exit.ExitCode() != notRunnable && exit.ExitCode() != notFound:
		return notCommitted("Nothing was committed: the editor "+program+" ended with "+exit.String(), "Start again, or set EDITOR to another")
	}
	return usage("The editor "+program+" cannot be started: "+err.Error(), "Set EDITOR to another")
}
