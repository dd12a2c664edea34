package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"ikigai"
)

const (
	binaryProbe = 8 << 10   // bytes in which a NUL means that a file is binary
	mostCounted = 256 << 20 // bytes of a file that are read only to count its lines
)

// lineRange is a range of lines of a file, of which at most room bytes are
// kept in memory.
type lineRange struct {
	first, count int // lines; count 0 for all
	room         int
	most         int64    // bytes after which no more are read
	encoding     encoding // of the file, unless it is UTF-8

	text   []byte // the beginning of the range
	size   int64  // bytes of the range
	lines  int    // of the file, as far as it was read
	bytes  int64  // of the file, as far as it was read
	atEnd  bool   // the file was read to its end
	open   bool   // the last byte read was no line break
	binary bool
	waited bool // the file gave nothing more, and did not end
}

// read goes through the file once.
func (r *lineRange) read(f io.Reader) error {
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
			r.settle()
			return nil
		case errors.Is(err, os.ErrDeadlineExceeded) && r.bytes > 0:
			r.waited = true
			r.settle()
			return nil
		case err != nil:
			return err
		case r.bytes > r.most, r.done() && r.bytes > mostCounted:
			r.settle()
			return nil
		}
	}
}

// settle finds out what the bytes of the range mean, if nothing has said so.
func (r *lineRange) settle() {
	if r.encoding == utf8Text {
		r.encoding = guess(r.characters())
	}
	if r.encoding == windows1252 {
		r.text = []byte(r.encoding.decode(r.text))
	}
}

// characters is the text without a character that was cut at its end.
func (r *lineRange) characters() []byte {
	if len(r.text) < r.room {
		return r.text
	}
	for n := 1; n < min(utf8.UTFMax, len(r.text)); n++ {
		if c := r.text[len(r.text)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(r.text[len(r.text)-n:]) {
				return r.text[:len(r.text)-n]
			}
			break
		}
	}
	return r.text
}

// inFile returns the size that the first n bytes of the text have in the file.
func (r *lineRange) inFile(n int) int64 {
	if r.encoding == windows1252 {
		return int64(utf8.RuneCount(r.text[:n]))
	}
	return int64(n)
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
		failure = ikigai.Failure(codeBinary, "File "+display(path)+" is binary", "Use bash with file, xxd or strings to look into it, or with iconv if it is UTF-16")
	case r.first > 1 && r.first > r.total() && r.atEnd:
		failure = ikigai.Failure(codePastEnd, fmt.Sprintf("File %s has no line %d: it has %s", display(path), r.first, plural(r.total(), "line")),
			"Use a smaller offset")
	case r.first > r.total() && !r.atEnd:
		failure = ikigai.Failure(codePastEnd, fmt.Sprintf("File %s does not get to line %d: it was read for %s and %s", display(path), r.first, size(r.bytes), plural(r.total(), "line")),
			"Use a smaller offset, or bash")
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
	if out.Truncated = r.inFile(n) < r.size; out.Truncated {
		do := ""
		if end := strings.LastIndexByte(text[:n], '\n') + 1; end > 0 {
			n = end
			do = fmt.Sprintf(", go on with offset %d", r.first+strings.Count(text[:n], "\n"))
		}
		out.Output = withCutNote(text[:n], int(r.inFile(n)), int(r.size), "bytes", do)
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
	switch {
	case r.waited:
		return display(path) + " did not end: it gave nothing more for a while."
	case r.encoding == utf16LE || r.encoding == utf16BE || r.encoding == windows1252:
		return fmt.Sprintf("%s is in %s, not in UTF-8; edits keep that.", display(path), r.encoding)
	case !utf8.Valid(r.characters()):
		return display(path) + " is not valid UTF-8: bytes that are not are shown as \uFFFD."
	}
	return ""
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

// front is what stands ahead of the text where results have a frontmatter.
func (r *lineRange) front(path, language string, out fileReadOutput) []ikigai.Fact {
	facts := []ikigai.Fact{{Name: "file", Value: path}}
	switch lines := r.total(); {
	case out.Lines != "" && out.Total > 0:
		facts = append(facts, ikigai.Fact{Name: "lines", Value: fmt.Sprintf("%s of %d", out.Lines, out.Total)})
	case out.Lines != "":
		facts = append(facts, ikigai.Fact{Name: "lines", Value: out.Lines})
	case lines > 0:
		facts = append(facts, ikigai.Fact{Name: "lines", Value: fmt.Sprintf("1-%d of %d", lines, lines)})
	}
	if language != "" {
		facts = append(facts, ikigai.Fact{Name: "language", Value: language})
	}
	return facts
}
