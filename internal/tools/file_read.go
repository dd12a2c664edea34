package tools

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"ikigai"
)

//go:embed file_read.md
var fileReadDescription string

const fileReadSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string"},` +
	`"offset":{"type":"integer","minimum":1,"description":"First line"},` +
	`"limit":{"type":"integer","minimum":1,"description":"Number of lines"}},` +
	`"required":["path"],"additionalProperties":false}`

const (
	binaryProbe = 8 << 10   // bytes in which a NUL means that a file is binary
	mostCounted = 256 << 20 // bytes of a file that are read only to count its lines
)

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
		r := lineRange{first: max(1, int(in.Offset)), count: int(in.Limit), room: cfg.MaxOutput}
		if err := r.read(ctx, f); err != nil {
			if ctx.Err() != nil {
				return cancelled()
			}
			return fileFailure("read", in.Path, err)
		}
		if failure := r.failure(in.Path); failure != nil {
			return *failure
		}
		out := r.output(cfg.MaxOutput)
		return ikigai.Result{
			Output: ikigai.JSONOutput(out), Note: r.note(in.Path), Report: r.report(out),
			Resources: []ikigai.Resource{{URI: full}},
		}
	})
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

// lineRange is a range of lines of a file, of which at most room bytes are
// kept in memory.
type lineRange struct {
	first, count int // lines; count 0 for all
	room         int

	text   []byte // the beginning of the range
	size   int64  // bytes of the range
	lines  int    // of the file, as far as it was read
	bytes  int64  // of the file, as far as it was read
	atEnd  bool   // the file was read to its end
	open   bool   // the last byte read was no line break
	binary bool
}

// read goes through the file once.
func (r *lineRange) read(ctx context.Context, f io.Reader) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		if r.bytes < binaryProbe && bytes.IndexByte(buf[:min(n, binaryProbe)], 0) >= 0 {
			r.binary = true
			return nil
		}
		r.take(buf[:n])
		switch {
		case err == io.EOF:
			r.atEnd = true
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case r.done() && r.bytes > mostCounted:
			return nil
		}
	}
}

// done reports whether nothing that follows belongs to the range, or fits.
func (r *lineRange) done() bool {
	return len(r.text) >= r.room || r.count > 0 && r.lines >= r.first-1+r.count
}

// take takes in the next bytes of the file.
func (r *lineRange) take(b []byte) {
	if len(b) == 0 {
		return
	}
	start, end := r.clip(b)
	r.size += int64(end - start)
	r.text = append(r.text, b[start:min(end, start+max(0, r.room-len(r.text)))]...)
	r.lines += bytes.Count(b, []byte{'\n'})
	r.bytes += int64(len(b))
	r.open = b[len(b)-1] != '\n'
}

// clip returns which part of b, the next bytes of the file, is in the range.
func (r *lineRange) clip(b []byte) (start, end int) {
	start = afterLines(b, r.first-1-r.lines)
	end = len(b)
	if r.count > 0 {
		end = afterLines(b, r.first-1+r.count-r.lines)
	}
	return start, end
}

// afterLines returns the index after the n-th line break of b, at most its
// length.
func afterLines(b []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return len(b)
		}
		at += i + 1
	}
	return at
}

// total returns the number of lines of the file.
func (r *lineRange) total() int {
	if r.open {
		return r.lines + 1
	}
	return r.lines
}

func (r *lineRange) failure(path string) *ikigai.Result {
	var failure ikigai.Result
	switch {
	case r.binary:
		failure = ikigai.Failure(codeBinary, "File "+display(path)+" is binary", "Use bash with file, xxd or strings to look into it")
	case r.first > 1 && r.atEnd && r.first > r.total():
		failure = ikigai.Failure(codePastEnd, fmt.Sprintf("File %s has no line %d: it has %s", display(path), r.first, plural(r.total(), "line")),
			"Use a smaller offset")
	default:
		return nil
	}
	return &failure
}

// output returns the result. One that is cut ends with a whole line, if it
// holds one, so that the next call can go on after it.
func (r *lineRange) output(max int) fileReadOutput {
	text := string(r.text)
	out := fileReadOutput{Output: text}
	n := fit(text, roomFor(max))
	if out.Truncated = int64(n) < r.size; out.Truncated {
		do := ""
		if end := strings.LastIndexByte(text[:n], '\n') + 1; end > 0 {
			n = end
			do = fmt.Sprintf(", go on with offset %d", r.first+strings.Count(text[:n], "\n"))
		}
		out.Output = withCutNote(text[:n], n, int(r.size), "bytes", do)
	}
	if r.first > 1 || out.Truncated || r.size < r.bytes || !r.atEnd {
		out.Lines = fmt.Sprintf("%d-%d", r.first, r.first+lineCount(text[:n])-1)
		if r.atEnd {
			out.Total = r.total()
		}
	}
	return out
}

// lineCount returns the number of lines of text, of which the last may lack
// its line break.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func (r *lineRange) note(path string) string {
	if utf8.Valid(r.text) || len(r.text) >= r.room && utf8.Valid(r.text[:max(0, len(r.text)-utf8.UTFMax)]) {
		return ""
	}
	return display(path) + " is not valid UTF-8: bytes that are not are shown as \uFFFD."
}

func (r *lineRange) report(out fileReadOutput) string {
	words := plural(lineCount(string(r.text)), "line") + ", " + size(r.size)
	if out.Lines != "" {
		words = "lines " + out.Lines
		if out.Total > 0 {
			words += " of " + group(int64(out.Total))
		}
		words += ", " + size(r.size)
	}
	return words
}
