package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/media"
)

// P15: text that is not UTF-8 is read as text, with a word about it.
func TestFileReadEncodings(t *testing.T) {
	b := newBench(t, Config{})
	b.write("le", utf16Of(utf16LE, bomUTF16LE, "one\r\ntwo €\r\nthree 𝄞\r\n"), "be", utf16Of(utf16BE, bomUTF16BE, "š\n"), "latin", "caf\xe9\nna\xefve \x80\n",
		"russian", "\xcf\xf0\xe8\xe2\xe5\xf2\n", "utf32", "\xff\xfe\x00\x00a\x00\x00\x00")
	for _, tc := range []struct{ args, output, report, note string }{
		{`{"path":"le"}`, `{"output":"one\r\ntwo €\r\nthree 𝄞\r\n"}`, "3 lines, 26 bytes", "le is in UTF-16LE"},
		{`{"path":"le","offset":2,"limit":1}`, `{"output":"two €\r\n","lines":"2-2","total_lines":3}`, "lines 2-2 of 3, 9 bytes", "UTF-16LE"},
		{`{"path":"be"}`, `{"output":"š\n"}`, "1 line, 3 bytes", "UTF-16BE"},
		{`{"path":"latin"}`, `{"output":"café\nnaïve €\n"}`, "2 lines, 13 bytes", "Windows-1252"},
		{`{"path":"russian"}`, `{"output":"` + strings.Repeat(`\ufffd`, 6) + `\n"}`, "1 line, 7 bytes", "not valid UTF-8"},
	} {
		if r := b.want("file_read", tc.args, tc.output, tc.report); !strings.Contains(r.Note, tc.note) {
			t.Errorf("%s: note %q", tc.args, r.Note)
		}
	}
	if r := b.call("file_read", `{"path":"utf32"}`); field(t, r, "error_code") != "BINARY_FILE" {
		t.Error(text(r))
	}
	// What is cut says how much of the file it is, in bytes of the file.
	small := newBench(t, Config{MaxOutput: 2000})
	small.write("latin", strings.Repeat("caf\xe9 x\n", 1000))
	r := small.call("file_read", `{"path":"latin"}`)
	shown, _, _ := strings.Cut(field(t, r, "output"), "\n[OUTPUT")
	if want := fmt.Sprintf("TRUNCATED - %s/7,000 bytes shown", group(int64(strings.Count(shown, "\n")*7))); !strings.Contains(text(r), want) || strings.Contains(shown, "\uFFFD") {
		t.Errorf("%s\nhas no %q", text(r), want)
	}
}

// An image or a document is a part of the result, beside words about it.
func TestFileReadMedia(t *testing.T) {
	b := newBench(t, Config{})
	picture := image.NewGray(image.Rect(0, 0, 30, 20))
	var p, j, g bytes.Buffer
	for _, err := range []error{png.Encode(&p, picture), jpeg.Encode(&j, picture, nil), gif.Encode(&g, picture, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	webp := "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
	b.write("a.png", p.String(), "sub/photo", j.String(), "g.gif", g.String(), "w.webp", webp, "doc.pdf", "%PDF-1.7\n\x001 0 obj\n%%EOF", "damaged.png", p.String()[:20], "cut.png", p.String()[:50], "empty.pdf", "%PDF-1.7\n%%EOF\n",
		"apple.heic", "\x00\x00\x00\x18ftypheic\x00\x00", "large.pdf", "%PDF-1.7\n"+strings.Repeat("x", media.MaxAttached))
	for _, tc := range []struct {
		path, words, name, kind string
		is                      ikigai.PartType
	}{
		{"a.png", "PNG image, 30 x 20 pixels, ", "a.png", media.PNG, ikigai.PartImage},
		{"sub/photo", "JPEG image, 30 x 20 pixels, ", "photo", media.JPEG, ikigai.PartImage},
		{"g.gif", "GIF image, 30 x 20 pixels, ", "g.gif", media.GIF, ikigai.PartImage},
		{"w.webp", "WEBP image, 1 x 1 pixels, ", "w.webp", media.WebP, ikigai.PartImage},
		{"doc.pdf", "PDF document, 23 bytes", "doc.pdf", media.PDF, ikigai.PartFile},
	} {
		r := b.call("file_read", `{"path":"`+tc.path+`","limit":100}`)
		if r.Failed || len(r.Output) != 2 || !strings.HasPrefix(r.Output[0].Text, `{"output":"`+tc.words) || r.Resources[0].SHA256 != hashOf([]byte(b.read(tc.path))) {
			t.Errorf("%s: %+v", tc.path, r)
			continue
		}
		part := r.Output[1]
		if diff := cmp.Diff(ikigai.Part{Type: tc.is, Media: tc.kind, Name: tc.name, Bytes: []byte(b.read(tc.path))}, part); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.path, diff)
		}
		attached, blobs, err := media.Attach(part.Name, part.Bytes)
		if err != nil || attached.Type != tc.is || len(blobs) == 0 {
			t.Errorf("%s cannot be sent: %+v, %v", tc.path, attached, err)
		}
	}
	for path, code := range map[string]string{"damaged.png": "BINARY_FILE", "cut.png": "BINARY_FILE", "empty.pdf": "BINARY_FILE", "apple.heic": "BINARY_FILE", "large.pdf": "TOO_LARGE"} {
		if r := b.call("file_read", `{"path":"`+path+`"}`); field(t, r, "error_code") != code || !twoSentences.MatchString(field(t, r, "error")) {
			t.Errorf("%s: %s", path, text(r))
		}
	}
}

// S1.30: what stands ahead of a text, in the words of the tool.
func TestFileReadFront(t *testing.T) {
	b := newBench(t, Config{})
	b.write("a.py", "1\n2\n3\n", "run", "#!/usr/bin/env -S node --x\n", "empty", "", "plain", "x")
	for args, want := range map[string]string{
		`{"path":"a.py"}`:                         "file=a.py lines=1-3 of 3 language=python",
		`{"path":"a.py","offset":2,"limit":1}`:    "file=a.py lines=2-2 of 3 language=python",
		`{"path":"run"}`:                          "file=run lines=1-1 of 1 language=javascript",
		`{"path":"empty"}`:                        "file=empty",
		`{"path":"plain"}`:                        "file=plain lines=1-1 of 1",
		`{"path":"` + b.dir + `/a.py","limit":1}`: "file=" + b.dir + "/a.py lines=1-1 of 3 language=python",
	} {
		var got []string
		for _, f := range b.call("file_read", args).Front {
			got = append(got, fmt.Sprintf("%s=%v", f.Name, f.Value))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", args, diff)
		}
	}
}

func TestLanguage(t *testing.T) {
	for file, want := range map[string]string{
		"/x/Main.GO": "go", "a.tsx": "typescript", "b.h": "c", "Makefile": "make", "Dockerfile": "dockerfile", "go.mod": "go-module", "x.unknown": "", "none": "",
		"s\n#!/bin/bash -e\n": "shell", "p\n#!/usr/bin/env python3.12\n": "python", "q\n#!/usr/bin/perl\n": "perl", "e\n#! /usr/bin/env A=1 ruby\n": "ruby",
		"o\n#!/opt/own\n": "", "h\n#!\n": "", "z\nno #!/bin/sh\n": "",
	} {
		name, head, _ := strings.Cut(file, "\n")
		if got := languageOf(name, []byte(head)); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

// endless gives lines for ever.
type endless struct{ bytes int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, bytes.Repeat([]byte("x\n"), len(p)/2+1))
	e.bytes += n
	return n, nil
}

// A file that does not end is read for so much and no more, wherever the range
// is; one that gives nothing is given up, or as soon as the turn is stopped.
func TestFileReadEndless(t *testing.T) {
	for _, first := range []int{1, 1 << 40} {
		src := &endless{}
		r := lineRange{first: first, room: 1000, most: 1 << 20}
		if err := r.read(src); err != nil || src.bytes > 2<<20 {
			t.Fatalf("%d bytes, %v", src.bytes, err)
		}
		if failure := r.failure("f"); (failure != nil) != (first > 1) {
			t.Errorf("line %d: %v", first, failure)
		}
		if out := r.output(1000); first == 1 && (!out.Truncated || out.Total != 0) {
			t.Errorf("%+v", out)
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	defer limitWait(context.Background(), r, time.Microsecond)()
	if err := new(lineRange).read(r); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer limitWait(ctx, r, time.Hour)()
	cancel()
	if err := new(lineRange).read(r); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
	some := lineRange{first: 1, room: 1000, most: 1000}
	if err := some.read(io.MultiReader(strings.NewReader("first\n"), iotest.ErrReader(os.ErrDeadlineExceeded))); err != nil || !some.waited || some.output(1000).Output != "first\n" || !strings.Contains(some.note("f"), "did not end") {
		t.Errorf("%v, %+v", err, some)
	}
}

// UTF-16 that does not say so is taken for binary, and the way to read it is told.
func TestFileReadUnmarked(t *testing.T) {
	b := newBench(t, Config{})
	b.write("a.txt", "a\x00b\x00\n\x00")
	if got := field(t, b.call("file_read", `{"path":"a.txt"}`), "error"); !strings.Contains(got, "iconv") {
		t.Error(got)
	}
}
