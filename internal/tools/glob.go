package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"ikigai"
	"ikigai/internal/walk"
)

//go:embed glob.md
var globDescription string

const globSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","minLength":1},` +
	`"path":{"type":"string","default":"."},` +
	`"all":{"type":"boolean","description":"Also hidden and ignored"}},` +
	`"required":["pattern"],"additionalProperties":false}`

const (
	mostFiles  = 1000             // that one result lists
	mostSearch = 30 * time.Second // for the list of files, and for the search of them
)

type globInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	All     bool   `json:"all"`
}

type searchOutput struct {
	Output    string `json:"output"`
	Count     int    `json:"count"`
	Truncated bool   `json:"truncated,omitempty"`
}

func glob(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "glob", Description: globDescription, Schema: json.RawMessage(globSchema),
		Returns: returns(
			member{"output", "string", "Paths, one a line"},
			member{"count", "integer", "Number of paths found"},
			truncated),
		OutputLimits: cfg.limits(entries(mostFiles, "paths")),
		Usage:        "When you need to find files by their names.",
	}
	return newTool(spec, true, func(ctx context.Context, call ikigai.Call, in globInput) ikigai.Result {
		base, pattern, dirs := splitPattern(in)
		if !doublestar.ValidatePattern(pattern) {
			return badGlob(in.Pattern)
		}
		list, failure := cfg.list(ctx, call, in.Path, base, globOptions(pattern, in.All, dirs))
		if failure != nil {
			return *failure
		}
		what, end := "file", ""
		if dirs {
			what, end = "directory", "/"
		}
		var found []string
		for _, e := range list.Entries {
			if e.Type.IsDir() == dirs && doublestar.MatchUnvalidated(pattern, e.Path) {
				found = append(found, display(below(base, e.Path)+end))
			}
		}
		out := searchOutput{Count: len(found)}
		out.Output, out.Truncated = limitLines(found, len(found), mostFiles, cfg.MaxOutput, "paths")
		return ikigai.Result{Output: ikigai.JSONOutput(out), Note: listNote(list), Report: plural(len(found), what) + " found"}
	})
}

func badGlob(pattern string) ikigai.Result {
	return ikigai.Failure(codeBadPattern, "Bad pattern "+display(pattern)+": a bracket or brace is not closed",
		`Close it, or put \ before it to mean the character itself`)
}

// splitPattern returns the directory to search, the pattern for paths below it,
// and whether directories are meant.
func splitPattern(in globInput) (base, pattern string, dirs bool) {
	base = in.Path
	pattern, dirs = strings.CutSuffix(in.Pattern, "/")
	fixed := ""
	if fixed, pattern = doublestar.SplitPattern(pattern); fixed != "." {
		if filepath.IsAbs(fixed) || strings.HasPrefix(fixed, "~/") {
			base = fixed
		} else {
			base = path.Join(base, fixed)
		}
	}
	return base, strings.TrimPrefix(pattern, "./"), dirs
}

func globOptions(pattern string, all, dirs bool) walk.Options {
	o := walk.Options{Hidden: all || namesDot(pattern), Ignored: all, Dirs: dirs}
	if !strings.Contains(pattern, "**") && !strings.Contains(pattern, "{") {
		o.Depth = strings.Count(pattern, "/") + 1
	}
	return o
}

// namesDot reports whether a name in the pattern begins with a dot.
func namesDot(pattern string) bool {
	return strings.HasPrefix(pattern, ".") || strings.Contains(pattern, "/.") ||
		strings.Contains(pattern, "{.") || strings.Contains(pattern, ",.")
}

// list lists the files below dir, which is path or, by a pattern, another
// directory. The path must be a directory; a pattern may name one that is not
// there, and finds nothing.
func (cfg Config) list(ctx context.Context, call ikigai.Call, path, dir string, o walk.Options) (walk.List, *ikigai.Result) {
	if failure := cfg.checkDirectory(call, path); failure != nil {
		return walk.List{}, failure
	}
	root := cfg.resolve(call, dir)
	if info, err := os.Stat(root); dir != path && (err != nil || !info.IsDir()) {
		return walk.List{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, mostSearch)
	defer cancel()
	list, err := walk.Files(limited, root, o)
	var failure ikigai.Result
	switch {
	case err == nil:
		return list, nil
	case ctx.Err() != nil:
		failure = cancelled()
	case limited.Err() != nil:
		failure = ikigai.Failure(ikigai.CodeToolTimeout, fmt.Sprintf("The files below %s could not be listed within %v", display(dir), mostSearch), "Search a smaller directory")
	default:
		failure = fileFailure("search", dir, err)
	}
	return list, &failure
}

// checkDirectory returns a failure if path is no directory.
func (cfg Config) checkDirectory(call ikigai.Call, path string) *ikigai.Result {
	info, err := os.Stat(cfg.resolve(call, path))
	var failure ikigai.Result
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		failure = ikigai.Failure(codeNotDirectory, "Path "+display(path)+" is not a directory", "Name a directory")
	case errors.Is(err, fs.ErrNotExist):
		failure = ikigai.Failure(codeFileNotFound, "Directory not found: "+display(path), "Check the path exists")
	default:
		failure = fileFailure("search", path, err)
	}
	return &failure
}

// listNote says what is missing in a list.
func listNote(list walk.List) string {
	var notes []string
	if list.More {
		notes = append(notes, "There are more files than can be searched: the first "+group(walk.MaxEntries)+" were.")
	}
	if list.Unreadable > 0 {
		verb := " was"
		if list.Unreadable > 1 {
			verb = " were"
		}
		notes = append(notes, plural(list.Unreadable, "directory")+" could not be read and"+verb+" skipped.")
	}
	return strings.Join(notes, " ")
}

// below returns a path below dir, in the words in which dir was given.
func below(dir, name string) string {
	if dir == "" || dir == "." {
		return name
	}
	if name == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}
