package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"ikigai"
)

//go:embed file_write.md
var fileWriteDescription string

const fileWriteSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string"},` +
	`"content":{"type":"string"}},` +
	`"required":["path","content"],"additionalProperties":false}`

type fileWriteInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type fileWriteOutput struct {
	Output string `json:"output"`
	Bytes  int    `json:"bytes"`
}

func fileWrite(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "file_write", Description: fileWriteDescription, Schema: json.RawMessage(fileWriteSchema),
		Returns: returns(
			member{"output", "string", "What was written, in words"},
			member{"bytes", "integer", "Bytes written"}),
		Usage: "When you need to create a file or to replace all of it. Read it first.",
	}
	tool := newTool(spec, false, func(ctx context.Context, call ikigai.Call, in fileWriteInput) ikigai.Result {
		target, old, failure := writeTarget(in.Path, cfg.resolve(call, in.Path))
		if failure != nil {
			return *failure
		}
		if old != nil {
			if failure := cfg.refuseStale(ctx, in.Path, target); failure != nil {
				return *failure
			}
		}
		if failure := announce(ctx, call, in.Path, target); failure != nil {
			return *failure
		}
		content := []byte(in.Content)
		before := smallText(target, old)
		encoded := otherEncoding(target)
		note, err := replaceFile(target, old, content)
		if err != nil {
			return fileFailure("write", in.Path, err)
		}
		text := fmt.Sprintf("Wrote %d bytes to %s", len(in.Content), in.Path)
		return ikigai.Result{
			Output: ikigai.JSONOutput(fileWriteOutput{text, len(in.Content)}), Note: strings.TrimSpace(encoded + " " + note), Report: writeReport(text, before, in.Content),
			Resources: []ikigai.Resource{{URI: target, Changed: true, SHA256: hashOf(content)}},
		}
	})
	tool.Announces = true
	return tool
}

// smallText returns what a file holds whose difference from what it will hold
// can be shown: text, and not much of it. It is "" for others.
func smallText(target string, old fs.FileInfo) string {
	if old == nil || old.Size() > mostDiffed {
		return ""
	}
	raw, err := os.ReadFile(target)
	if err != nil || len(raw) > mostDiffed || isBinary(raw) || !utf8.Valid(raw) {
		return ""
	}
	return string(raw)
}

// writeReport tells the person what was written: as a unified diff in lines of
// its own, where something was there before.
func writeReport(summary, before, after string) string {
	if before == "" || len(after) > mostDiffed || before == after || strings.Contains(after, "\x00") {
		return summary
	}
	return summary + "\n" + unified(before, after, 1)
}

// otherEncoding tells that a file is in an encoding which a write of text takes
// away, or "".
func otherEncoding(target string) string {
	f, err := os.Open(target)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, _ := io.ReadFull(f, head)
	if enc, _ := marked(head[:n]); enc != utf8Text {
		return fmt.Sprintf("The file was in %s and is in UTF-8 now; file_edit would have kept that.", enc)
	}
	return ""
}

// announce tells that target, which the model calls path, is about to be
// changed. It returns the failure that keeps it from being changed, or nil.
func announce(ctx context.Context, call ikigai.Call, path, target string) *ikigai.Result {
	var failure ikigai.Result
	var err error
	if call.Intend != nil {
		err = call.Intend(ctx, target)
	}
	switch {
	case ctx.Err() != nil:
		failure = cancelled()
	case err != nil:
		failure = ikigai.Failure(codeNotKept, fmt.Sprintf("File %s was not written: what was there before could not be kept (%v)", display(path), err),
			"Tell the person; nothing was changed")
	default:
		return nil
	}
	return &failure
}

// writeTarget returns the file that a write to path changes, symbolic links
// followed, and what is known of it; nil if it does not exist yet.
func writeTarget(path, full string) (string, fs.FileInfo, *ikigai.Result) {
	fail := func(failure ikigai.Result) (string, fs.FileInfo, *ikigai.Result) { return "", nil, &failure }
	if strings.HasSuffix(path, "/") {
		return fail(isDirectory(path))
	}
	target, err := followLinks(full)
	if err != nil {
		return fail(fileFailure("write", path, err))
	}
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target, nil, nil
	case err != nil:
		return fail(fileFailure("write", path, err))
	case info.IsDir():
		return fail(isDirectory(path))
	case !info.Mode().IsRegular():
		return fail(notRegular(path, info.Mode()))
	case info.Mode().Perm()&0o222 == 0 || syscall.Access(target, accessWrite) == syscall.EACCES:
		return fail(ikigai.Failure(codePermission, fmt.Sprintf("Cannot write %s: it is read-only", display(path)),
			"Make it writable first with chmod u+w, or write to another path"))
	}
	return target, info, nil
}

const accessWrite = 2 // W_OK

// followLinks returns the path that opening full would create or change: full,
// unless it is a symbolic link.
func followLinks(full string) (string, error) {
	for range 40 {
		link, err := os.Readlink(full)
		if err != nil {
			return full, nil // no link, or nothing there
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(full), link)
		}
		full = link
	}
	return "", syscall.ELOOP
}
