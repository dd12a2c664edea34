package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"

	"ikigai"
)

//go:embed file_edit.md
var fileEditDescription string

const fileEditSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string"},` +
	`"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{` +
	`"old":{"type":"string"},"new":{"type":"string"},"replace_all":{"type":"boolean"}},` +
	`"required":["old","new"],"additionalProperties":false}}},` +
	`"required":["path","edits"],"additionalProperties":false}`

type fileEditInput struct {
	Path  string `json:"path"`
	Edits []edit `json:"edits"`
}

type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"replace_all"`
}

type fileEditOutput struct {
	Output       string `json:"output"`
	Replacements int    `json:"replacements"`
}

func fileEdit(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "file_edit", Description: fileEditDescription, Schema: json.RawMessage(fileEditSchema),
		Returns: returns(
			member{"output", "string", "What was changed, with the lines around it"},
			member{"replacements", "integer", "Number of places that were changed"}),
		Usage: "When you need to change a part of a file. Read it first.",
	}
	tool := newTool(spec, false, func(ctx context.Context, call ikigai.Call, in fileEditInput) ikigai.Result {
		if len(in.Edits) == 0 {
			return ikigai.Failure(ikigai.CodeInvalidParams, "There are no edits", "Send at least one, with old and new")
		}
		target, old, failure := writeTarget(in.Path, cfg.resolve(call, in.Path))
		if failure != nil {
			return *failure
		}
		if old == nil {
			return fileFailure("edit", in.Path, fs.ErrNotExist)
		}
		e, failure := cfg.edited(in, target)
		if failure != nil {
			return *failure
		}
		if failure := announce(ctx, call, in.Path, target); failure != nil {
			return *failure
		}
		hash := hashBeside(e.raw)
		note, err := replaceFile(target, old, e.raw)
		sum := hash()
		if err != nil {
			return fileFailure("edit", in.Path, err)
		}
		e.note(note)
		return e.result(target, sum)
	})
	tool.Announces = true
	return tool
}
