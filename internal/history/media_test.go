package history

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"math/rand/v2"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/blob"
	"ikigai/internal/media"
)

// noise is a picture that cannot be packed.
func noise(seed uint64, side int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	return encodedPNG(img)
}

// animation is what not every vendor takes.
func animation() []byte {
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 3)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// shows is a statement with a picture, as the program records it.
func shows(text string, raw []byte) ikigai.Event {
	p, blobs, err := media.Attach("a.png", raw)
	if err != nil {
		panic(err)
	}
	e := ikigai.Message{Kind: ikigai.KindUser, Content: text, Parts: []ikigai.Part{p}}.Event()
	e.Blobs = blobs
	return e
}

// imported is the same as another program records it.
func imported(text string, raw []byte) ikigai.Event {
	p := ikigai.Part{Type: ikigai.PartImage, Media: "image/gif", Blob: blob.Hash(raw)}
	e := ikigai.Message{Kind: ikigai.KindUser, Content: text, Parts: []ikigai.Part{p}}.Event()
	e.Blobs = []ikigai.Blob{{Hash: p.Blob, Bytes: raw}}
	return e
}

// The bytes are loaded when a request is made, each once, and not at all when
// they came with the event.
func TestContents(t *testing.T) {
	raw := noise(1, 10)
	seen, lost := shows("look", raw), shows("and", noise(2, 10))
	l := fold(seen)
	if got := l.Request().Messages[0].Parts[0].Bytes; !bytes.Equal(got, raw) {
		t.Errorf("%d bytes of what came with the event", len(got))
	}

	seen.Blobs, lost.Blobs = nil, nil // as a store gives them back
	var loads []string
	l = New(ikigai.Main)
	l.SetBlobs(func(hash string) ([]byte, error) {
		loads = append(loads, hash)
		if hash == blob.Hash(raw) {
			return raw, nil
		}
		return nil, errors.New("lost")
	})
	for i, e := range []ikigai.Event{seen, lost, assistant("I see."), shows("again", raw), rewind(3), user("and now")} {
		e.Seq = ikigai.Seq(i + 1)
		l.Add(e)
		if i == 2 && len(loads) > 0 {
			t.Error("bytes were loaded for nothing")
		}
		if i > 1 {
			messages := l.Request().Messages
			if len(messages[0].Parts[0].Bytes) != len(raw) || messages[1].Parts[0].Bytes != nil {
				t.Fatalf("after %d: %d and %d bytes", e.Seq, len(messages[0].Parts[0].Bytes), len(messages[1].Parts[0].Bytes))
			}
		}
	}
	if len(loads) != 2 {
		t.Errorf("loaded %v", loads)
	}
}

// What another program has recorded is made fit. P3
func TestImportedImages(t *testing.T) {
	p := fold(imported("look", animation())).Request().Messages[0].Parts[0]
	if !media.Taken(p.Bytes) || p.Media != media.PNG || p.Fit != blob.Hash(p.Bytes) {
		t.Errorf("%s, %d bytes, %s", p.Media, len(p.Bytes), p.Fit)
	}
	if p := fold(imported("look", []byte("GIF89a, so it says"))).Request().Messages[0].Parts[0]; p.Bytes != nil {
		t.Errorf("damaged: %q", p.Bytes)
	}
}

// A request holds the newest images. The oldest are left out in large steps, so
// that requests begin alike for long. P3, P27
func TestMediaWindow(t *testing.T) {
	for _, test := range []struct {
		name       string
		size       int64
		most, left int // images in a request, at most and after some were left out
	}{
		{"many", 1000, 90, 45},
		{"large", 3 << 20, 6, 3},
		{"of unknown size", 0, 20, 10},
		{"huge", 30 << 20, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := New(ikigai.Main)
			memo, changes := l.memo, 0
			for i := range 200 {
				p := ikigai.Part{Type: ikigai.PartImage, Name: fmt.Sprint(i), Blob: fmt.Sprint(i), Size: test.size}
				e := ikigai.Message{Kind: ikigai.KindUser, Content: "look", Parts: []ikigai.Part{p}}.Event()
				e.Seq = ikigai.Seq(i + 1)
				l.Add(e)
				messages := l.Request().Messages
				sent := 0
				for j, m := range messages {
					switch {
					case isMedia(m.Parts[0]):
						sent++
					case sent > 0:
						t.Fatalf("after %d: image %d is left out, and older ones are not", i, j)
					case m.Parts[0].Text != fmt.Sprintf("(image %d is left out: there are newer ones)", j):
						t.Fatalf("%q", m.Parts[0].Text)
					}
				}
				if l.memo != memo {
					memo, changes = l.memo, changes+1
				}
				if sent > test.most || sent < min(test.left, i+1) {
					t.Fatalf("after %d: %d images", i+1, sent)
				}
			}
			if most := 200/max(test.most-test.left, 1) + 1; changes < 1 || changes > most {
				t.Errorf("the beginning changed %d times, %d at most", changes, most)
			}
		})
	}
}

// The bytes of images are in the log once, however often they are sent, and
// what was sent is rebuilt nevertheless.
func TestImagesAreRecordedOnce(t *testing.T) {
	r := newRecorder(t)
	raw := noise(3, 200)
	r.add(system("s"), shows("look", raw))
	stored := func() (n int) {
		for _, b := range r.blobs {
			n += len(b)
		}
		for _, e := range r.events {
			n += len(e.Data)
		}
		return n
	}
	before := stored()
	d := r.ask(auto)
	if len(d.Media) != 1 || d.Media[0] != blob.Hash(raw) {
		t.Errorf("media %v", d.Media)
	}
	r.add(assistant("A cat."), user("Sure?"))
	if d := r.ask(auto); d.Media != nil || d.Kept == 0 {
		t.Errorf("media %v, kept %d", d.Media, d.Kept)
	}
	r.resume()
	r.add(rewind(2), user("Otherwise"))
	r.ask(auto)
	r.add(ikigai.NewEvent(ikigai.KindTools, "", ikigai.ToolsData{}), shows("this", noise(4, 100)), imported("and that", animation()))
	r.model = "acme/two"
	if d := r.ask(auto); len(d.Media) == 0 {
		t.Error("no media")
	}
	r.check()
	added := stored() - before - len(noise(4, 100)) - 2*len(animation())
	if added > 6000 {
		t.Errorf("requests took %d bytes, with images of %d", added, len(raw))
	}
	r.events[2].Data = bytes.Replace(r.events[2].Data, []byte(d.Media[0]), []byte(strings.Repeat("0", 64)), 1)
	if _, err := Rebuild(t.Context(), r.all, r, 3); err == nil {
		t.Error("an image that is lost is not missed")
	}
}

// The bytes of images that are left out are let go, and a system message that
// comes late moves nothing out of its place.
func TestOldImagesAreLetGo(t *testing.T) {
	l := New(ikigai.Main)
	for i := range 100 {
		e := shows(fmt.Sprint("look ", i), picture(1, i+1))
		if i == 50 {
			e = system("s")
		}
		e.Seq = ikigai.Seq(i + 1)
		l.Add(e)
		l.Request()
	}
	for _, m := range l.Request().Messages[1:] {
		var n int
		if _, err := fmt.Sscanf(m.Content, "look %d", &n); err != nil {
			t.Fatal(err)
		}
		if isMedia(m.Parts[0]) != (n > 45) { // 45 of 91 stay, and 8 follow
			t.Errorf("%s: %s %q", m.Content, m.Parts[0].Type, m.Parts[0].Text)
		}
	}
	if n := len(l.contents.held); n != 53 {
		t.Errorf("%d images are held", n)
	}
}
