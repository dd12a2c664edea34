package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/resource"
)

// mostParts bounds the parts of one result.
const mostParts = 100

// output returns what a server has answered. Its result is a JSON object: the
// structured one as it is, else {"output"} with all texts. Images and documents
// follow as parts of their own.
func (l *link) output(r *sdk.CallToolResult) ikigai.Result {
	g := gathered{link: l}
	for _, c := range r.Content[:min(len(r.Content), mostParts)] {
		g.add(c)
	}
	if left := len(r.Content) - mostParts; left > 0 {
		g.text(fmt.Sprintf("(%d more parts are left out)", left))
	}
	structured := encodeStructured(r.StructuredContent)
	result := ikigai.Result{Failed: r.IsError, Resources: g.resources}
	text := g.withoutRepeats(structured)
	switch {
	case r.IsError:
		if text == "" {
			text = string(structured)
		}
		result.Output = ikigai.JSONOutput(struct {
			Error string          `json:"error"`
			Code  ikigai.ToolCode `json:"error_code"`
		}{text, codeServer})
		result.Report = firstLine(text)
	case isObject(structured):
		result.Output = []ikigai.Part{{Type: ikigai.PartText, Text: string(structured)}}
		if text != "" {
			result.Output = append(result.Output, ikigai.Part{Type: ikigai.PartText, Text: text})
		}
	case isObject([]byte(text)):
		result.Output = []ikigai.Part{{Type: ikigai.PartText, Text: text}}
	case structured != nil:
		result.Output = ikigai.JSONOutput(struct {
			Result json.RawMessage `json:"result"`
			Output string          `json:"output,omitempty"`
		}{structured, text})
	default:
		result.Output = ikigai.JSONOutput(struct {
			Output string `json:"output"`
		}{text})
	}
	result.Output = append(result.Output, g.parts...)
	return result
}

// gathered is the content of an answer, sorted by what can be done with it.
type gathered struct {
	link      *link
	texts     []string
	parts     []ikigai.Part
	resources []ikigai.Resource
}

func (g *gathered) text(s string) { g.texts = append(g.texts, ikigai.CleanText(s)) }

func (g *gathered) add(c sdk.Content) {
	switch c := c.(type) {
	case *sdk.TextContent:
		g.text(c.Text)
	case *sdk.ImageContent:
		g.bytes("", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		g.bytes("", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		g.text(describeLink(c))
		g.name(c.URI)
	case *sdk.EmbeddedResource:
		if c.Resource != nil {
			g.resource(c.Resource)
		}
	default:
		g.text("(content of a kind that is not known)")
	}
}

// name adds the name of a resource.
func (g *gathered) name(uri string) {
	g.resources = resource.Add(g.resources, ikigai.Resource{URI: resource.Name(uri, "")})
}

// resource adds the content of a resource.
func (g *gathered) resource(r *sdk.ResourceContents) {
	g.name(r.URI)
	if r.Blob != nil {
		g.bytes(r.URI, r.MIMEType, r.Blob)
		return
	}
	g.text("[" + r.URI + "]\n" + r.Text)
}

// bytes adds content that is no text: an image or a PDF as a part, anything else
// as a file.
func (g *gathered) bytes(name, kind string, content []byte) {
	kind = ikigai.CleanText(kind)
	switch http.DetectContentType(content) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		g.parts = append(g.parts, ikigai.Part{Type: ikigai.PartImage, Media: kind, Name: path.Base(ikigai.CleanText(name)), Bytes: content})
		return
	case "application/pdf":
		g.parts = append(g.parts, ikigai.Part{Type: ikigai.PartFile, Media: kind, Name: path.Base(ikigai.CleanText(name)), Bytes: content})
		return
	}
	what := fmt.Sprintf("%s, %d bytes", kind, len(content))
	if name != "" {
		what = name + ", " + what
	}
	file, err := g.link.spill(kind, content)
	switch {
	case err != nil:
		g.text(fmt.Sprintf("(%s; it could not be kept: %v)", what, err))
	case file == "":
		g.text("(" + what + "; it cannot be shown)")
	default:
		g.text("(" + what + ", in " + file + ")")
	}
}

// spill writes content that no model takes to a file, and returns its path.
func (l *link) spill(kind string, content []byte) (string, error) {
	dir := l.cfg.SpillDir
	if dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	ending := ".bin"
	if known, err := mime.ExtensionsByType(kind); err == nil && len(known) > 0 {
		ending = known[0]
	}
	f, err := os.CreateTemp(dir, "mcp-*"+ending)
	if err != nil {
		return "", err
	}
	if _, err := f.Write(content); err != nil {
		_ = f.Close()
		return "", err
	}
	return f.Name(), f.Close()
}

func describeLink(c *sdk.ResourceLink) string {
	words := c.Name
	if c.Title != "" {
		words = c.Title
	}
	if c.Description != "" {
		words += ": " + c.Description
	}
	return strings.TrimSpace("[" + c.URI + "] " + words)
}

// withoutRepeats returns the texts, joined, without those that say what the
// structured result says: servers send it both ways for older clients.
func (g *gathered) withoutRepeats(structured json.RawMessage) string {
	var kept []string
	for _, t := range g.texts {
		if structured == nil || !repeats(t, structured) {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}

// repeats reports whether text is the structured result, or the only value in it.
func repeats(text string, structured json.RawMessage) bool {
	if sameJSON([]byte(text), structured) {
		return true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(structured, &members) != nil || len(members) != 1 {
		return false
	}
	for _, value := range members {
		var s string
		if json.Unmarshal(value, &s) == nil && s == text {
			return true
		}
		return sameJSON([]byte(text), value)
	}
	return false
}

// sameJSON reports whether both are JSON texts of one value.
func sameJSON(a, b []byte) bool {
	var va, vb any
	if json.Unmarshal(a, &va) != nil || json.Unmarshal(b, &vb) != nil {
		return false
	}
	ra, errA := json.Marshal(va)
	rb, errB := json.Marshal(vb)
	return errA == nil && errB == nil && bytes.Equal(ra, rb)
}

// encodeStructured returns the structured result as JSON, nil if there is none.
func encodeStructured(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return json.RawMessage(ikigai.CleanJSON(strings.TrimSpace(b.String())))
}

func isObject(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clip(line, 200)
}
