package undo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// git is what is used of the repository that a directory lies in: its index,
// which is read here, and its objects, for which git itself is asked. Nothing
// that the repository's settings name is run.
type git struct {
	program string
	env     []string

	root   string // the watched directory
	top    string // of the working tree
	dir    string // of the repository; "" if there is none, or none that is understood
	common string // of what its working trees share
	below  string // the watched directory in the working tree: "" or "a/b/"
	index  map[string]indexEntry
	read   stat      // of the index when it was read
	at     time.Time // when the index was written
}

// open finds the repository of a directory.
func (g *git) open(dir string) {
	g.root = dir
	if g.program == "" {
		return
	}
	for top := dir; ; top = filepath.Dir(top) {
		if found := repositoryOf(filepath.Join(top, ".git")); found != "" {
			g.dir, g.common, g.top = found, found, top
			if common, err := os.ReadFile(filepath.Join(found, "commondir")); err == nil {
				g.common = absolute(found, strings.TrimSpace(string(common)))
			}
			if below, err := filepath.Rel(top, dir); err == nil && below != "." {
				g.below = filepath.ToSlash(below) + "/"
			}
			break
		}
		if top == filepath.Dir(top) {
			return
		}
	}
	settings, err := os.ReadFile(filepath.Join(g.common, "config"))
	settings = bytes.ToLower(settings)
	// Names of 64 digits are of another kind of repository.
	if err != nil || bytes.Contains(settings, []byte("objectformat")) || bytes.Contains(settings, []byte("autocrlf")) {
		g.dir = ""
	}
}

// repositoryOf returns the directory that .git is or names, or "".
func repositoryOf(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return path
	}
	text, err := os.ReadFile(path)
	named, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !ok {
		return ""
	}
	return absolute(filepath.Dir(path), named)
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// refresh reads the index if it was written since. Where files are made of
// objects, and not the same bytes, the index says nothing here.
func (g *git) refresh(t *tree) {
	if g.dir == "" {
		return
	}
	path := filepath.Join(g.dir, "index")
	is, err := lstat(path)
	if err != nil || is == g.read {
		if err != nil {
			g.index = nil
		}
		return
	}
	g.index, g.read, g.at = nil, is, time.Unix(0, is.mtime)
	content, err := os.ReadFile(path)
	if err != nil || g.converts(t) {
		return
	}
	if after, err := lstat(path); err != nil || after != is {
		g.read = stat{}
		return
	}
	if index, err := parseIndex(content); err == nil {
		g.index = index
	}
}

// converts reports whether attributes name a filter, an encoding or ends of
// lines.
func (g *git) converts(t *tree) bool {
	paths := []string{filepath.Join(g.common, "info", "attributes")}
	for dir := g.root; ; dir = filepath.Dir(dir) {
		paths = append(paths, filepath.Join(dir, ".gitattributes"))
		if dir == g.top || dir == filepath.Dir(dir) {
			break
		}
	}
	for _, f := range t.files {
		if strings.HasSuffix(f.path, "/.gitattributes") {
			paths = append(paths, filepath.Join(g.root, f.path))
		}
	}
	for _, path := range paths {
		content, _ := os.ReadFile(path) // most are not there
		for _, word := range []string{"filter", "ident", "encoding", "crlf"} {
			if bytes.Contains(content, []byte(word)) {
				return true
			}
		}
	}
	return false
}

// object returns the name of the object that a file is, as it is; "" if there is
// none.
func (g *git) object(f *file) string {
	e, ok := g.index[g.below+f.path]
	if !ok || e.mtime != f.stat.mtime || e.ctime != f.stat.ctime || e.size != uint32(f.stat.size) || e.ino != uint32(f.stat.ino) ||
		f.stat.recent(g.at) || f.stat.size > maxObject {
		return ""
	}
	return e.object
}

// maxObject is the most bytes of an object that is asked for.
const maxObject = 64 << 20

// errObject is the reason where an object is not the one that was asked for.
var errObject = errors.New("it was in git's objects, which do not have it any more")

// objects calls with for each named object, in order, with its content or an
// error, which is errUnread once ctx is over.
func (g *git) objects(ctx context.Context, names []string, with func(content []byte, err error)) {
	got, err := 0, errObject
	if len(names) > 0 {
		err = g.batch(ctx, names, func(content []byte, err error) {
			got++
			with(content, err)
		})
	}
	if ctx.Err() != nil {
		err = errUnread
	} else {
		err = fmt.Errorf("git did not give it back: %w", err)
	}
	for ; got < len(names); got++ {
		with(nil, err)
	}
}

func (g *git) batch(ctx context.Context, names []string, with func([]byte, error)) error {
	cmd := exec.CommandContext(ctx, g.program, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
		"-c", "protocol.allow=never", "--git-dir="+g.dir, "cat-file", "--batch", "--buffer")
	cmd.Env = append(withoutGit(g.env), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	r := bufio.NewReaderSize(out, 64<<10)
	for _, name := range names {
		content, readErr := readObject(r, name)
		if readErr != nil && !errors.Is(readErr, errObject) {
			err = readErr
			break
		}
		with(content, readErr)
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it says that it was killed
		return err
	}
	return cmd.Wait()
}

// readObject reads one object as git tells it. errObject says that it is not
// there or another; any other error that nothing more can be read.
func readObject(r *bufio.Reader, name string) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, broken(err)
	}
	var got, kind string
	var size int64
	if n, _ := fmt.Sscanf(line, "%s %s %d", &got, &kind, &size); n < 3 || size < 0 || size > maxObject {
		if strings.HasSuffix(line, " missing\n") {
			return nil, errObject
		}
		return nil, fmt.Errorf("git says %q", strings.TrimSpace(line))
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, broken(err)
	}
	content = content[:size]
	if kind != "blob" || objectName(content) != name {
		return nil, errObject
	}
	return content, nil
}

// broken returns the error of reading what git says.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("what it says breaks off")
	}
	return err
}

// withoutGit returns an environment without what points git elsewhere.
func withoutGit(env []string) []string {
	var kept []string
	for _, pair := range env {
		if !strings.HasPrefix(pair, "GIT_") {
			kept = append(kept, pair)
		}
	}
	return kept
}
