package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/media"
	"ikigai/internal/webpage"
)

// readWeb returns what a server has answered with. The error is a *webStatus
// if that is an error.
func readWeb(ctx context.Context, resp *http.Response) (*webDocument, error) {
	if resp.StatusCode >= 400 {
		return nil, readStatus(ctx, resp)
	}
	b := webBody{Response: resp}
	b.media, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err := b.read(binaryProbe); err != nil {
		return nil, err
	}
	kind := media.Type(b.raw)
	attached := kind == media.PDF || strings.HasPrefix(kind, "image/") && kind != media.HEIC && kind != media.AVIF
	if !attached && !b.isText() {
		return b.told(b.ContentLength), nil
	}
	if err := b.read(webMost); err != nil {
		return nil, err
	}
	if attached {
		return b.attachment(kind), nil
	}
	return b.document(ctx)
}

// webBody is an answer, as far as it was read.
type webBody struct {
	*http.Response
	media string
	raw   []byte
	more  bool // there is more than was asked for
}

// read reads on up to most bytes.
func (b *webBody) read(most int) error {
	rest, err := io.ReadAll(io.LimitReader(b.Body, int64(most+1-len(b.raw))))
	b.raw = append(b.raw, rest...)
	if b.more = len(b.raw) > most; b.more && most == webMost {
		b.raw = b.raw[:most]
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the connection broke off after %s", size(int64(len(b.raw))))
	}
	return err
}

func (b *webBody) isHTML() bool {
	switch b.media {
	case "text/html", "application/xhtml+xml":
		return true
	case "", "application/octet-stream":
		return strings.HasPrefix(http.DetectContentType(b.raw), "text/html")
	}
	return false
}

// isText reports whether the answer can be shown as text.
func (b *webBody) isText() bool {
	if b.Header.Get("Content-Encoding") != "" {
		return false // none that was asked for
	}
	if strings.HasPrefix(b.media, "text/") || strings.HasSuffix(b.media, "+xml") || strings.HasSuffix(b.media, "+json") {
		return true
	}
	head := b.raw
	for range utf8.UTFMax { // one that is cut off
		if utf8.Valid(head) {
			return !strings.Contains(string(head), "\x00")
		}
		head = head[:len(head)-1]
	}
	return false
}

func (b *webBody) url() string {
	u := *b.Request.URL
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// told returns words in the place of what cannot be shown.
func (b *webBody) told(length int64) *webDocument {
	kind := b.media
	if kind == "" {
		kind = "application/octet-stream"
	}
	if encoding := b.Header.Get("Content-Encoding"); encoding != "" {
		kind += " in the encoding " + encoding
	}
	if length < 0 {
		kind += ", size unknown"
	} else {
		kind += ", " + size(length)
	}
	return &webDocument{url: b.url(), words: "Not shown: " + display(kind) + ". To look into it, save it with bash (curl -o)."}
}

// attachment returns an image or a document to look at.
func (b *webBody) attachment(kind string) *webDocument {
	if b.more {
		return b.told(b.ContentLength)
	}
	name := b.Request.URL.Path
	name = name[strings.LastIndexByte(name, '/')+1:]
	p := ikigai.Part{Type: ikigai.PartImage, Media: kind, Name: name, Bytes: b.raw}
	if kind == media.PDF {
		p.Type = ikigai.PartFile
	}
	return &webDocument{url: b.url(), words: kind + ", " + size(int64(len(b.raw))), parts: []ikigai.Part{p}}
}

// document returns a page, or other text.
func (b *webBody) document(ctx context.Context) (*webDocument, error) {
	text := webpage.UTF8(b.raw, b.Header.Get("Content-Type"))
	doc := &webDocument{url: b.url(), cut: b.more}
	if b.isHTML() {
		page, err := webpage.Read(ctx, text, b.Request.URL)
		if err != nil {
			return nil, err
		}
		doc.title, doc.cut = cutText(page.Title, maxTitle), doc.cut || page.Cut
		if text = page.Markdown; text == "" {
			doc.words = "The page holds no text. It may be made by a script, which is not run."
			return doc, nil
		}
	} else if strings.Contains(text, "\x00") {
		return b.told(b.ContentLength), nil
	}
	if doc.cut {
		text = withCutNote(text, len(text), len(text), "bytes", "; the page goes on")
	}
	doc.pages = paginate(text, webPage)
	return doc, nil
}

// maxTitle is the most bytes of a title that are shown.
const maxTitle = 200

// cutText returns the beginning of text, whole characters of at most max bytes.
func cutText(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}

// webStatus is the error that a server has answered with.
type webStatus struct {
	url    string
	status int
	text   string // the beginning of what it says
}

func (s *webStatus) Error() string { return fmt.Sprintf("%s: HTTP %d", s.url, s.status) }

// maxErrorText is the most bytes that are shown of what a server says of its
// error.
const maxErrorText = 2 << 10

func readStatus(ctx context.Context, resp *http.Response) error {
	b := webBody{Response: resp}
	b.media, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	s := &webStatus{url: b.url(), status: resp.StatusCode}
	if b.read(64<<10) != nil || !b.isText() {
		return s
	}
	if doc, err := b.document(ctx); err == nil && len(doc.pages) > 0 {
		s.text = cutText(doc.pages[0], maxErrorText)
	}
	return s
}

// result tells the model of the error.
func (s *webStatus) result() ikigai.Result {
	do := "Check the URL"
	switch {
	case s.status == http.StatusTooManyRequests, s.status >= 500:
		do = "Try again later"
	case s.status == http.StatusUnauthorized, s.status == http.StatusForbidden, s.status == http.StatusProxyAuthRequired:
		do = "Use another source, or ask the person"
	}
	what := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", s.status, http.StatusText(s.status))) + ": " + display(s.url)
	return ikigai.Result{
		Failed: true, Report: what,
		Output: ikigai.JSONOutput(struct {
			Error  string          `json:"error"`
			Code   ikigai.ToolCode `json:"error_code"`
			Status int             `json:"status"`
			Output string          `json:"output,omitempty"`
		}{what + ". " + do + ".", codeHTTP, s.status, s.text}),
	}
}
