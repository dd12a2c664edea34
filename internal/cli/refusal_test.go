package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"ikigai"
	"ikigai/internal/media"
	"ikigai/internal/scriptserver"
)

// answering is a server that gives each request the next of its answers, if a
// strict vendor would take it.
type answering struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	answers []string
	bodies  [][]byte
}

// refusal begins an answer that is an error with status 400, and nowhere one with
// status 404.
const (
	refusal = "400 "
	nowhere = "404 "
)

func newAnswering(t *testing.T, answers ...string) *answering {
	v := &answering{t: t, answers: answers}
	v.Server = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(v.Close)
	return v
}

func (v *answering) serve(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	v.bodies = append(v.bodies, body)
	if len(v.bodies) > len(v.answers) {
		v.t.Errorf("request %d was not expected:\n%s", len(v.bodies), body)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if err := scriptserver.Check(body); err != nil {
		v.t.Errorf("request %d: %v\n%s", len(v.bodies), err, body)
	}
	answer := v.answers[len(v.bodies)-1]
	if text, refused := strings.CutPrefix(answer, refusal); refused {
		w.WriteHeader(http.StatusBadRequest)
		answer = text
	} else if text, refused := strings.CutPrefix(answer, nowhere); refused {
		w.WriteHeader(http.StatusNotFound)
		answer = text
	}
	_, _ = io.WriteString(w, answer)
}

// body returns what request n, from 1, sent.
func (v *answering) body(n int) string {
	v.t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.bodies) < n {
		v.t.Fatalf("%d requests, want %d", len(v.bodies), n)
	}
	return string(v.bodies[n-1])
}

// says is a reply of text.
func says(text string) string {
	raw, _ := json.Marshal(text)
	return fmt.Sprintf(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, raw)
}

// asks is a place whose model is at v; further vendors are at others, named b, c
// and so on.
func asks(t *testing.T, settings string, vendors ...*answering) *place {
	t.Helper()
	p := newPlace(t, "user: nothing\nsay: nothing\n")
	var list []string
	for i, v := range vendors {
		list = append(list, fmt.Sprintf(`%q: {"base_url": %q, "replay": ["reasoning_content"]}`, string(rune('a'+i)), v.URL))
	}
	config := fmt.Sprintf(`{"model": "a/x", "max_retries": 0, "objectives": "text", %s "vendors": {%s}}`, settings, strings.Join(list, ", "))
	must(t, os.WriteFile(filepath.Join(p.root, "home", ".config", "ikigai", "config.json"), []byte(config), 0o600))
	return p
}

func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, w, h))))
	return b.Bytes()
}

var imageURL = regexp.MustCompile(`data:image/[a-z]+;base64,([A-Za-z0-9+/=]+)`)

// imagesIn returns the images that a body sends.
func imagesIn(t *testing.T, body string) (images [][]byte) {
	t.Helper()
	for _, m := range imageURL.FindAllStringSubmatch(body, -1) {
		raw, err := base64.StdEncoding.DecodeString(m[1])
		must(t, err)
		images = append(images, raw)
	}
	return images
}

// Law 3: a message that a vendor refuses by its position is left out, the
// request goes out once more, the person is told, and the session goes on. P3
func TestRefusedMessageIsLeftOut(t *testing.T) {
	t.Parallel()
	refused := refusal + `{"error":{"message":"Invalid value in messages.[1].content: it cannot be processed","type":"invalid_request_error"}}`
	v := newAnswering(t, says("One."), refused, says("Two."), refused, says("Three."), says("Four."))
	p := asks(t, "", v)
	must(t, os.WriteFile(p.file("cat.png"), pngOf(t, 20, 20), 0o600))
	p.run(exitAnswered, "run", "--file", "cat.png", "behold")
	if n := len(imagesIn(t, v.body(1))); n != 1 {
		t.Fatalf("%d images", n)
	}

	c := p.run(exitAnswered, "run", "--continue", "again")
	c.tells(1, "a/x refuses the message of event ")
	c.tells(1, "The images that go with it are left out from now on; the log keeps it.")
	if got := c.out.String(); got != "Two.\n" {
		t.Errorf("answer %q", got)
	}
	if body := v.body(3); len(imagesIn(t, body)) != 0 || !strings.Contains(body, "(image cat.png is left out: ") || !strings.Contains(body, "behold") {
		t.Errorf("sent:\n%s", body)
	}

	c = p.run(exitAnswered, "run", "--continue", "and again")
	c.tells(1, "A stand-in is sent in its place from now on; the log keeps it.")
	if body := v.body(5); strings.Contains(body, "behold") || !strings.Contains(body, "[This message was refused by the model's vendor and is left out.]") {
		t.Errorf("sent:\n%s", body)
	}
	p.run(exitAnswered, "run", "--continue", "once more")
	if body := v.body(6); strings.Contains(body, "behold") || !strings.Contains(body, "Three.") {
		t.Errorf("sent:\n%s", body)
	}

	log := p.log()
	var whole []bool
	for _, e := range of(ikigai.KindQuarantine, log) {
		var d ikigai.QuarantineData
		must(t, e.DecodeData(&d))
		whole = append(whole, d.Whole)
		if log[d.Seq-1].Kind != ikigai.KindUser || !strings.HasPrefix(log[d.Seq-1].Content, "behold") {
			t.Errorf("event %d is in quarantine", d.Seq)
		}
	}
	if fmt.Sprint(whole) != "[false true]" {
		t.Errorf("quarantine: %v", whole)
	}
	for _, args := range [][]string{{"log"}, {"export"}} {
		if got := strings.Join(strings.Fields(p.run(exitAnswered, args...).out.String()), " "); !strings.Contains(got, "The images that go with it are left out") {
			t.Errorf("%s does not tell of it:\n%s", args[0], got)
		}
	}
	for n := range 6 {
		if got := p.run(exitAnswered, "log", "--request", fmt.Sprint(n+1)).out.String(); got != v.body(n+1) {
			t.Errorf("request %d is not rebuilt as it was sent", n+1)
		}
	}
}

// The statement that is being asked is not left out: the person is told that it
// was refused, and may say something else.
func TestRefusedStatement(t *testing.T) {
	t.Parallel()
	refused := refusal + `{"error":{"message":"Invalid value in messages.[1].content: it cannot be processed","type":"invalid_request_error"}}`
	v := newAnswering(t, refused, refused, says("Better."))
	p := asks(t, "", v)
	p.run(exitVendor, "run", "strange").tells(1, "it cannot be processed")
	c := p.run(exitAnswered, "run", "--continue", "in other words")
	c.tells(1, "A stand-in is sent in its place")
	if body := v.body(3); strings.Contains(body, "strange") {
		t.Errorf("sent:\n%s", body)
	}
}

// What a content filter refuses does not make all that follows be refused: the
// statement is left out of the next one, and what a tool gave at once. P3
func TestContentFilterIsGotOver(t *testing.T) {
	t.Parallel()
	const refused = refusal + `{"error":{"message":"The response was filtered","code":"content_filter"}}`
	const calls = `{"choices":[{"message":{"content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"file_read","arguments":"{\"path\":\"a.txt\"}"}}]},"finish_reason":"tool_calls"}]}`
	v := newAnswering(t, says("One."), refused, says("Two."), calls, refused, says("Three."), says("Four."))
	p := asks(t, "", v)
	must(t, os.WriteFile(p.file("a.txt"), []byte("BADTEXT"), 0o600))
	p.run(exitAnswered, "run", "hello")
	c := p.run(exitVendor, "run", "--continue", "BADWORD")
	c.tells(1, "With the next statement this one is left out; the log keeps it.")
	c.tells(1, "Put the statement another way, or go back with `ikigai sessions rewind`.")
	p.run(exitAnswered, "run", "--continue", "another way")
	if body := v.body(3); strings.Contains(body, "BADWORD") || !strings.Contains(body, "another way") || !strings.Contains(body, "One.") {
		t.Errorf("sent:\n%s", body)
	}
	c = p.run(exitAnswered, "run", "--continue", "read it")
	c.tells(1, "The results of the last calls are left out from now on; the log keeps them.")
	if body := v.body(5); !strings.Contains(body, "BADTEXT") {
		t.Errorf("sent:\n%s", body)
	}
	p.run(exitAnswered, "run", "--continue", "and now?")
	for n := 6; n <= 7; n++ {
		if body := v.body(n); strings.Contains(body, "BADTEXT") || !strings.Contains(body, "file_read") || !strings.Contains(body, "read it") {
			t.Errorf("sent:\n%s", body)
		}
	}
	if log := p.run(exitAnswered, "log").out.String(); !strings.Contains(log, "BADWORD") {
		t.Errorf("the log does not keep it:\n%s", log)
	}
}

// State that a vendor does not take back, as after a change of the key, is left out
// of all messages at once, and the request goes out once more. P4
func TestStaleStateIsLeftOut(t *testing.T) {
	t.Parallel()
	const refused = refusal + `{"error":{"message":"The encrypted content gAAA could not be verified. Reason: Encrypted content organization_id did not match the target organization.","type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}`
	thinks := func(text string) string {
		return `{"choices":[{"message":{"content":"` + text + `","reasoning_content":"I think of ` + text + `"},"finish_reason":"stop"}]}`
	}
	v := newAnswering(t, thinks("One."), thinks("Two."), refused, thinks("Three."), says("Four."))
	p := asks(t, "", v)
	p.run(exitAnswered, "run", "hello")
	p.run(exitAnswered, "run", "--continue", "and")
	c := p.run(exitAnswered, "run", "--continue", "on")
	c.tells(1, "a/x does not take back what it had kept with its replies")
	p.run(exitAnswered, "run", "--continue", "and on")
	if body := v.body(3); strings.Count(body, "I think of ") != 2 {
		t.Errorf("sent:\n%s", body)
	}
	if body := v.body(4); strings.Contains(body, "I think of ") || !strings.Contains(body, "Two.") {
		t.Errorf("sent:\n%s", body)
	}
	if body := v.body(5); strings.Count(body, "I think of ") != 1 || !strings.Contains(body, "I think of Three.") {
		t.Errorf("sent:\n%s", body)
	}
}

// A model that takes no images is asked once more without them. P3
func TestModelWithoutImages(t *testing.T) {
	t.Parallel()
	const refused = nowhere + `{"error":{"message":"No endpoints found that support image input","code":404}}`
	v := newAnswering(t, refused, says("Two."))
	p := asks(t, "", v)
	must(t, os.WriteFile(p.file("cat.png"), pngOf(t, 20, 20), 0o600))
	c := p.run(exitAnswered, "run", "--file", "cat.png", "behold")
	c.tells(1, "The images that go with it are left out from now on; the log keeps it.")
	if body := v.body(2); len(imagesIn(t, body)) != 0 || !strings.Contains(body, "behold") {
		t.Errorf("sent:\n%s", body)
	}
}

// An image is sent in a form that vendors take, whatever its name; the log keeps
// the original, and a session that goes on sends the same bytes. P3, P27
func TestImagesAreAttached(t *testing.T) {
	t.Parallel()
	v := newAnswering(t, says("Wide."), says("Still."))
	p := asks(t, "", v)
	original := pngOf(t, 3000, 30)
	must(t, os.WriteFile(p.file("picture.txt"), original, 0o600))
	must(t, os.WriteFile(p.file("paper"), []byte("%PDF-1.7\n1 0 obj\n%%EOF"), 0o600))
	p.run(exitAnswered, "run", "--file", "picture.txt", "--file", "paper", "look")
	sent := imagesIn(t, v.body(1))
	if len(sent) != 1 || !media.Taken(sent[0]) {
		t.Fatalf("%d images", len(sent))
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(sent[0])); err != nil || size.Width != 2000 || size.Height != 20 {
		t.Errorf("%d by %d, %v", size.Width, size.Height, err)
	}
	for _, want := range []string{"[image: picture.txt]", "[file: paper]", "data:application/pdf;base64,"} {
		if !strings.Contains(v.body(1), want) {
			t.Errorf("%s is missing in\n%s", want, v.body(1))
		}
	}
	p.run(exitAnswered, "run", "--continue", "sure?")
	if again := imagesIn(t, v.body(2)); len(again) != 1 || !bytes.Equal(again[0], sent[0]) {
		t.Error("the image is not sent again as it was")
	}
	var d ikigai.MessageData
	must(t, of(ikigai.KindUser, p.log())[0].DecodeData(&d))
	attached, _, err := media.Attach("picture.txt", original)
	must(t, err)
	if len(d.Parts) != 2 || d.Parts[0].Blob != attached.Blob || d.Parts[0].Fit != attached.Fit {
		t.Errorf("the log holds %+v", d.Parts)
	}
	p.run(exitAnswered, "log", "--request", "2")
}

// What can be sent to nobody is said before anything is sent. P3
func TestImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	v := newAnswering(t)
	p := asks(t, "", v)
	must(t, os.WriteFile(p.file("cut.png"), pngOf(t, 300, 300)[:60], 0o600))
	must(t, os.WriteFile(p.file("photo.heic"), []byte("\x00\x00\x00\x18ftypheic0000"), 0o600))
	p.run(exitUsage, "run", "--file", "cut.png", "look").tells(1, "The image cut.png is damaged: ")
	p.run(exitUsage, "run", "--file", "photo.heic", "look").tells(1, "Save it anew as PNG or JPEG, and attach that.")
}

// A model that cannot be had is replaced, visibly, for one statement.
func TestFallbackForOneStatement(t *testing.T) {
	t.Parallel()
	none := refusal + `{"error":{"message":"Nothing is left","code":"insufficient_quota"}}`
	a, b := newAnswering(t, none, says("Back.")), newAnswering(t, says("Instead."))
	p := asks(t, `"fallback": ["b/y"],`, a, b)
	c := p.run(exitAnswered, "run", "work")
	c.tells(1, "b/y is asked instead for the rest of this statement.")
	if c.out.String() != "Instead.\n" {
		t.Errorf("answer %q", c.out)
	}
	if got := p.run(exitAnswered, "run", "--continue", "more").out.String(); got != "Back.\n" {
		t.Errorf("answer %q", got)
	}
	var models []string
	for _, e := range of(ikigai.KindUsage, p.log()) {
		var d ikigai.UsageData
		must(t, e.DecodeData(&d))
		models = append(models, d.Model)
	}
	if got := strings.Join(models, " "); got != "b/y a/x" {
		t.Errorf("usage of %s", got)
	}
}

// A conversation belongs to no vendor: it goes on with another at any message,
// and what the first wants back is given to it alone, as it was. P4
func TestOneConversationTwoVendors(t *testing.T) {
	t.Parallel()
	const thought = `"reasoning_content":"I look \u00fcber there."`
	a := newAnswering(t,
		`{"choices":[{"message":{"content":"","reasoning_content":"I look \u00fcber there.","tool_calls":[{"id":"c1","type":"function","function":{"name":"glob","arguments":"{\"pattern\":\"*\"}"}}]},"finish_reason":"tool_calls"}]}`,
		says("Nothing."), says("As before."))
	b := newAnswering(t, says("I agree."))
	p := asks(t, "", a, b)
	p.run(exitAnswered, "run", "look")
	p.run(exitAnswered, "run", "--continue", "--model", "b/y", "and you?")
	p.run(exitAnswered, "run", "--continue", "--model", "a/x", "and now?")
	if body := b.body(1); strings.Contains(body, "I look") || !strings.Contains(body, `"c1"`) || !strings.Contains(body, "Nothing.") {
		t.Errorf("the second vendor is sent\n%s", body)
	}
	want, back := strings.ReplaceAll(thought, `\u00fc`, "ü"), a.body(3)
	if strings.Count(a.body(2), want) != 1 || strings.Count(back, want) != 1 || !strings.Contains(back, "I agree.") {
		t.Errorf("the first vendor is sent\n%s\nand later\n%s", a.body(2), back)
	}
}

// An answer in JSON: as it should be, put right once, and not at all.
func TestAnswerWithSchema(t *testing.T) {
	t.Parallel()
	const good, bad = `{"n":1}`, `{"n":"one"}`
	for _, test := range []struct {
		name    string
		answers []string
		code    int
		shown   string
	}{
		{"good", []string{good}, exitAnswered, good},
		{"in a fence", []string{"```json\n" + good + "\n```"}, exitAnswered, good},
		{"bad, then good", []string{bad, good}, exitAnswered, good},
		{"bad twice", []string{bad, "no JSON"}, exitVendor, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var answers []string
			for _, a := range test.answers {
				answers = append(answers, says(a))
			}
			v := newAnswering(t, answers...)
			p := asks(t, "", v)
			must(t, os.WriteFile(p.file("schema.json"), []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`), 0o600))
			c := p.run(test.code, "run", "--output-schema", "schema.json", "count")
			p.run(exitAnswered, "replay", "--output-schema", "schema.json")
			p.unreplayed = true // without the schema
			if got := strings.TrimSpace(c.out.String()); got != test.shown {
				t.Errorf("shown %q", got)
			}
			if test.code == exitVendor {
				c.tells(1, "The answer does not have the form that was asked for: ")
			}
			if len(test.answers) > 1 && !strings.Contains(v.body(2), "Your answer does not have the form that was asked for: ") {
				t.Errorf("sent\n%s", v.body(2))
			}
		})
	}
}
