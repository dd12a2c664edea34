package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"os"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"ikigai"
	"ikigai/internal/walk"
)

//go:embed grep.md
var grepDescription string

const grepSchema = `{"type":"object","properties":{` +
	`"pattern":{"type":"string","minLength":1},` +
	`"path":{"type":"string","default":"."},` +
	`"glob":{"type":"string","description":"e.g. *.go or src/**/*.ts"},` +
	`"ignore_case":{"type":"boolean"},` +
	`"context":{"type":"integer","minimum":0,"maximum":20},` +
	`"all":{"type":"boolean","description":"Also hidden and ignored"}},` +
	`"required":["pattern"],"additionalProperties":false}`

// mostMatches bounds the matching lines that one result shows.
const mostMatches = 500

type grepInput struct {
	Pattern    string `json:"pattern"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    whole  `json:"context"`
	All        bool   `json:"all"`
}

func grep(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "grep", Description: grepDescription, Schema: json.RawMessage(grepSchema),
		Returns: returns(
			member{"output", "string", "Matches, each as file:line: text"},
			member{"count", "integer", "Number of matches found"},
			truncated),
		OutputLimits: cfg.limits(entries(mostMatches, "matches")),
		Usage:        "When you need to find where something stands in files.",
	}
	return newTool(spec, true, func(ctx context.Context, call ikigai.Call, in grepInput) ikigai.Result {
		p, failure := compile(in.Pattern, in.IgnoreCase)
		if failure != nil {
			return *failure
		}
		s := search{pattern: p, context: int(in.Context), limit: mostSearch}
		note, failure := cfg.grepFiles(ctx, call, in, &s)
		if failure != nil {
			return *failure
		}
		s.run(ctx)
		if ctx.Err() != nil {
			return cancelled()
		}
		return grepResult(cfg, &s, note)
	})
}

func grepResult(cfg Config, s *search, note string) ikigai.Result {
	entries, count, files, left := s.result()
	out := searchOutput{Count: count}
	out.Output, out.Truncated = limitLines(entries, count, mostMatches, cfg.MaxOutput, "matches")
	note = strings.TrimSpace(note + " " + left)
	report := "no matches"
	if count > 0 {
		report = plural(count, "match") + " in " + plural(files, "file")
	}
	front := []ikigai.Fact{{Name: "matches", Value: count}, {Name: "files", Value: files}}
	if out.Truncated {
		front = append(front, ikigai.Fact{Name: "truncated", Value: true})
	}
	return ikigai.Result{Output: ikigai.JSONOutput(out), Note: note, Report: report, Resources: s.resources(), Front: front}
}

// grepFiles fills in the files to search and returns a note on those that are
// left out.
func (cfg Config) grepFiles(ctx context.Context, call ikigai.Call, in grepInput, s *search) (string, *ikigai.Result) {
	if in.Glob != "" && !doublestar.ValidatePattern(in.Glob) {
		failure := badGlob(in.Glob)
		return "", &failure
	}
	s.root, s.named = cfg.resolve(call, in.Path), in.Path
	info, err := os.Stat(s.root)
	if err != nil {
		failure := fileFailure("search", in.Path, err)
		return "", &failure
	}
	if !info.IsDir() {
		s.files = []string{""}
		return "", checkSearchable(in.Path, s.root)
	}
	hidden := in.All || namesDot(in.Glob)
	list, failure := cfg.list(ctx, call, in.Path, in.Path, walk.Options{Hidden: hidden, Ignored: in.All})
	if failure != nil {
		return "", failure
	}
	for _, e := range list.Entries {
		if e.Type.IsRegular() && globMatches(in.Glob, e.Path) {
			s.files = append(s.files, e.Path)
		}
	}
	return listNote(list), nil
}

// checkSearchable returns a failure if a file that was named cannot be searched.
func checkSearchable(path, full string) *ikigai.Result {
	f, failure := openRegular(path, full)
	if failure != nil {
		return failure
	}
	defer f.Close()
	probe := make([]byte, binaryProbe)
	n, _ := f.Read(probe)
	if e, _ := marked(probe[:n]); e.width() == 1 && isBinary(probe[:n]) {
		failure := ikigai.Failure(codeBinary, "File "+display(path)+" is binary", "Use bash with grep -a or strings to search it")
		return &failure
	}
	return nil
}

// globMatches reports whether a path fits a filter. One without a slash is for
// names.
func globMatches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "/"), name)
}
