package tools

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"ikigai"
)

// Change is what a call would do to a file as it is now.
type Change struct {
	Lines string // a unified diff without a header; "" where there is none to show
	Fails string // why the call would change nothing, without a full stop; "" if it would
}

// mostPreviewed bounds the files that Preview reads, and what it makes of them, in
// bytes.
const mostPreviewed = 4 << 20

// Preview returns what a call of file_edit or file_write, as its Check returned
// it, would change. It changes nothing itself. Of other tools, and of what is no
// text, there is nothing to say.
func Preview(ctx context.Context, cfg Config, tool string, call ikigai.Call) Change {
	if ctx.Err() != nil {
		return Change{}
	}
	switch tool {
	case "file_edit":
		return cfg.previewEdit(call)
	case "file_write":
		return cfg.previewWrite(ctx, call)
	}
	return Change{}
}

func (cfg Config) previewEdit(call ikigai.Call) Change {
	var in fileEditInput
	if json.Unmarshal(call.Args, &in) != nil || len(in.Edits) == 0 {
		return Change{}
	}
	target, old, failure := writeTarget(in.Path, cfg.resolve(call, in.Path))
	if failure == nil && old == nil {
		missing := fileFailure("edit", in.Path, fs.ErrNotExist)
		failure = &missing
	}
	if failure != nil {
		return Change{Fails: failure.Report}
	}
	e, failure := cfg.edited(in, target)
	if failure != nil {
		return Change{Fails: failure.Report}
	}
	return Change{Lines: strings.Join(e.diffs, "")}
}

func (cfg Config) previewWrite(ctx context.Context, call ikigai.Call) Change {
	var in fileWriteInput
	if json.Unmarshal(call.Args, &in) != nil {
		return Change{}
	}
	target, old, failure := writeTarget(in.Path, cfg.resolve(call, in.Path))
	if failure == nil && old != nil {
		failure = cfg.refuseStale(ctx, in.Path, target)
	}
	if failure != nil {
		return Change{Fails: failure.Report}
	}
	if old == nil || old.Size() > mostPreviewed || len(in.Content) > mostPreviewed || strings.Contains(in.Content, "\x00") {
		return Change{}
	}
	before, err := os.ReadFile(target)
	if err != nil || len(before) > mostPreviewed || isBinary(before) || !utf8.Valid(before) {
		return Change{}
	}
	if string(before) == in.Content {
		return Change{Lines: "@@ nothing changes @@\n"}
	}
	return Change{Lines: unified(string(before), in.Content, 1)}
}
