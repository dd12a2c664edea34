package tools

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/media"
)

//go:embed file_read.md
var fileReadDescription string

const fileReadSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string"},` +
	`"offset":{"type":"integer","minimum":1,"description":"First line"},` +
	`"limit":{"type":"integer","minimum":1}},` +
	`"required":["path"],"additionalProperties":false}`

type fileReadInput struct {
	Path   string `json:"path"`
	Offset whole  `json:"offset"`
	Limit  whole  `json:"limit"`
}

type fileReadOutput struct {
	Output    string `json:"output"`
	Lines     string `json:"lines,omitempty"`       // "a-b", unless the whole file is shown
	Total     int    `json:"total_lines,omitempty"` // with Lines, unless the file is too long to count
	Truncated bool   `json:"truncated,omitempty"`
}

func fileRead(cfg Config) ikigai.Tool {
	spec := ikigai.ToolSpec{
		Name: "file_read", Description: fileReadDescription, Schema: json.RawMessage(fileReadSchema),
		Returns: returns(
			member{"output", "string", "Text of the file, or of the lines asked for"},
			member{"lines", "string", "First and last line shown, unless it is the whole file"},
			member{"total_lines", "integer", "Lines of the file, unless it is shown whole"},
			truncated),
		OutputLimits: cfg.limits(),
		Usage:        "When you need to see what a file holds. Large files: ask for a range of lines.",
	}
	return newTool(spec, true, func(ctx context.Context, call ikigai.Call, in fileReadInput) ikigai.Result {
		full := cfg.resolve(call, in.Path)
		f, failure := openRegular(in.Path, full)
		if failure != nil {
			return *failure
		}
		defer f.Close()
		defer limitWait(ctx, f, mostWait)()
		if target, err := followLinks(full); err == nil {
			full = target
		}
		result, err := cfg.readFile(ctx, in, full, f)
		switch {
		case ctx.Err() != nil:
			return cancelled()
		case err != nil:
			return fileFailure("read", in.Path, err)
		}
		return result
	})
}

// headSize is the bytes of a file by which its kind is known.
const headSize = 128

// readFile returns what is to be shown of a file that is open.
func (cfg Config) readFile(ctx context.Context, in fileReadInput, full string, f *os.File) (ikigai.Result, error) {
	info, err := f.Stat()
	if err != nil {
		return ikigai.Result{}, err
	}
	hash := sha256.New()
	src := bufio.NewReaderSize(io.TeeReader(contextReader{ctx, f}, hash), 64<<10)
	head, err := src.Peek(headSize)
	if err != nil && err != io.EOF {
		return ikigai.Result{}, err
	}
	resource := ikigai.Resource{URI: full}
	if kind := media.Type(head); kind != "" {
		return readMedia(in.Path, kind, resource, src)
	}
	language := languageOf(full, head)
	r := lineRange{first: max(1, int(in.Offset)), count: int(in.Limit), room: cfg.MaxOutput, most: max(info.Size(), mostCounted)}
	if enc, mark := marked(head); enc != utf8Text {
		r.encoding = enc
		_, _ = src.Discard(mark)
	}
	if err := r.read(r.encoding.reader(src)); err != nil {
		return ikigai.Result{}, err
	}
	if failure := r.failure(in.Path); failure != nil {
		return *failure, nil
	}
	if r.atEnd {
		resource.SHA256 = hex.EncodeToString(hash.Sum(nil))
	}
	out := r.output(cfg.MaxOutput)
	return ikigai.Result{
		Output: ikigai.JSONOutput(out), Note: r.note(in.Path), Report: r.report(out),
		Resources: []ikigai.Resource{resource}, Front: r.front(in.Path, language, out),
	}, nil
}

// mostWait is how long a file may give nothing.
const mostWait = 10 * time.Second

// limitWait keeps a read from f from waiting for ever, or for longer than ctx:
// files of the kernel may give nothing until something happens. Files on disks
// know no such limit, and need none. It returns what ends the watch.
func limitWait(ctx context.Context, f *os.File, most time.Duration) (stop func()) {
	_ = f.SetReadDeadline(time.Now().Add(most))
	end := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	return func() { end() }
}

// openRegular opens a regular file. It does not wait for the other end of a
// pipe.
func openRegular(path, full string) (*os.File, *ikigai.Result) {
	f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if info, statErr := os.Stat(full); statErr == nil && info.Mode()&os.ModeSocket != 0 {
			failure := notRegular(path, info.Mode())
			return nil, &failure
		}
		failure := fileFailure("read", path, err)
		return nil, &failure
	}
	info, err := f.Stat()
	var failure ikigai.Result
	switch {
	case err != nil:
		failure = fileFailure("read", path, err)
	case info.IsDir():
		failure = isDirectory(path)
	case !info.Mode().IsRegular():
		failure = notRegular(path, info.Mode())
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, &failure
}
