package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"math/rand/v2"
	"slices"
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
	if got := loaded(l).Messages[0].Parts[0].Bytes; !bytes.Equal(got, raw) {
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
		return nil, fmt.Errorf("read blob: %w", ikigai.ErrNotFound)
	})
	for i, e := range []ikigai.Event{seen, lost, assistant("I see."), shows("again", raw), rewind(3), user("and now")} {
		e.Seq = ikigai.Seq(i + 1)
		l.Add(e)
		if i == 2 && len(loads) > 0 {
			t.Error("bytes were loaded for nothing")
		}
		if i > 1 {
			messages := loaded(l).Messages
			if len(messages[0].Parts[0].Bytes) != len(raw) || messages[1].Parts[0].Bytes != nil {
				t.Fatalf("after %d: %d and %d bytes", e.Seq, len(messages[0].Parts[0].Bytes), len(messages[1].Parts[0].Bytes))
			}
		}
	}
	if len(loads) != 2 {
		t.Errorf("loaded %v", loads)
	}
}

// While the store does not give an image back, no request is made, and what it
// gives later goes on from those before. It is not asked for one image after the
// other. P27
func TestContentsAway(t *testing.T) {
	events := []ikigai.Event{shows("one", noise(1, 10)), shows("two", noise(2, 10)), shows("three", noise(3, 10))}
	stored, away, reads := map[string][]byte{}, map[string]error{}, 0
	l := New(ikigai.Main)
	l.SetBlobs(func(hash string) ([]byte, error) {
		reads++
		return stored[hash], away[hash]
	})
	for i, e := range events {
		b := e.Blobs[0]
		stored[b.Hash], e.Seq, e.Blobs = b.Bytes, ikigai.Seq(i+1), nil
		if i > 0 {
			away[b.Hash] = context.DeadlineExceeded
		}
		l.Add(e)
	}
	for range 2 {
		var e *ikigai.Error
		if err := l.Load(); !errors.As(err, &e) || e.Kind != ikigai.ErrorStore || !errors.Is(err, context.DeadlineExceeded) || e.Do == "" {
			t.Fatalf("error %v", err)
		}
	}
	if reads != 3 {
		t.Errorf("%d reads, want 1 of what is there and 2 of what is away", reads)
	}
	told := &ikigai.Error{Kind: ikigai.ErrorStore, What: "It hangs"}
	away[events[1].Blobs[0].Hash] = told
	if err := l.Load(); !errors.Is(err, told) {
		t.Errorf("error %v", err)
	}
	clear(away)
	memo := l.memo
	for i, m := range loaded(l).Messages {
		if !bytes.Equal(m.Parts[0].Bytes, events[i].Blobs[0].Bytes) {
			t.Errorf("%d bytes of image %d", len(m.Parts[0].Bytes), i)
		}
	}
	if l.memo != memo {
		t.Error("the beginning of the request changed")
	}
	e := resultWithImage("1", "r")
	l = fold(user("u"), call("1", "{}"), call("2", "{}"), e) // a round that is still open
	l.SetBlobs(func(string) ([]byte, error) { return nil, told })
	if err := l.Load(); !errors.Is(err, told) {
		t.Errorf("of an open round: %v", err)
	}
}

// What another program has recorded is made fit. P3
func TestImportedImages(t *testing.T) {
	p := loaded(fold(imported("look", animation()))).Messages[0].Parts[0]
	if !media.Taken(p.Bytes) || p.Media != media.PNG || p.Fit != blob.Hash(p.Bytes) {
		t.Errorf("%s, %d bytes, %s", p.Media, len(p.Bytes), p.Fit)
	}
	if p := loaded(fold(imported("look", []byte("GIF89a, so it says")))).Messages[0].Parts[0]; p.Bytes != nil {
		t.Errorf("damaged: %q", p.Bytes)
	}
}

// A request holds the newest images. The oldest are left out in large steps, so
// that requests begin alike for long. P3, P27
func TestMediaWindow(t *testing.T) {
	for _, test := range []struct {
		name       string
		kind       ikigai.PartType
		size       int64
		most, left int // images in a request, at most and after some were left out
	}{
		{"many", ikigai.PartImage, 1000, 90, 45},
		{"large", ikigai.PartImage, 3 << 20, 6, 3},
		{"of unknown size", ikigai.PartImage, 0, 20, 10},
		{"images that are made smaller", ikigai.PartImage, 50 << 20, 5, 2},
		{"huge", ikigai.PartFile, 20 << 20, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := New(ikigai.Main)
			memo, changes := l.memo, 0
			for i := range 200 {
				p := ikigai.Part{Type: test.kind, Name: fmt.Sprint(i), Blob: fmt.Sprint(i), Size: test.size}
				e := ikigai.Message{Kind: ikigai.KindUser, Content: "look", Parts: []ikigai.Part{p}}.Event()
				e.Seq = ikigai.Seq(i + 1)
				l.Add(e)
				messages := loaded(l).Messages
				sent := 0
				for j, m := range messages {
					switch {
					case isMedia(m.Parts[0]):
						sent++
					case sent > 0:
						t.Fatalf("after %d: image %d is left out, and older ones are not", i, j)
					case m.Parts[0].Text != fmt.Sprintf("(%s %d is left out: there are newer ones)", test.kind, j):
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

// What goes with the statement that is being worked on is not left out in the
// middle of it, however much the tools show; the whole never exceeds what a
// request may hold. P3, P27
func TestStatementKeepsItsMedia(t *testing.T) {
	const MiB = 1 << 20
	shown := func(of string, sizes ...int64) (parts []ikigai.Part) {
		for i, size := range sizes {
			parts = append(parts, ikigai.Part{Type: ikigai.PartFile, Name: fmt.Sprint(of, i), Blob: "x", Size: size})
		}
		return parts
	}
	asks := func(sizes ...int64) ikigai.Event {
		return ikigai.Message{Kind: ikigai.KindUser, Content: "look", Parts: shown("s", sizes...)}.Event()
	}
	adds := func(sizes ...int64) []ikigai.Event {
		return []ikigai.Event{ikigai.NewEvent(ikigai.KindUser, "and this", ikigai.MessageData{By: ikigai.BySteer, Parts: shown("a", sizes...)})}
	}
	round := func(id string, sizes ...int64) []ikigai.Event {
		m, _ := result(id, "r").Message()
		m.Result.Parts = shown("r"+id, sizes...)
		return []ikigai.Event{call(id, "{}"), m.Event()}
	}
	const older, noRoom, tooLarge = "there are newer ones", "there is no room for it", "it is too large to be sent"
	for _, test := range []struct {
		name   string
		events [][]ikigai.Event
		want   string // documents that are sent, and why others are not
	}{
		{"one document", [][]ikigai.Event{{asks(16 * MiB)}, round("1", MiB), round("2", MiB)}, "s0 r10 r20"},
		{"many", [][]ikigai.Event{{asks(3*MiB, 3*MiB, 3*MiB, 3*MiB, 3*MiB)}, round("1", 3*MiB), round("2", 3*MiB), round("3", MiB)},
			"s0 s1 s2 s3 s4 (r10: " + older + ") r20 r30"},
		{"before it", [][]ikigai.Event{{asks(12 * MiB)}, round("1", MiB), {asks(12 * MiB)}, round("2", MiB)},
			"(s0: " + older + ") (r10: " + older + ") s0 r20"},
		{"words come after it", [][]ikigai.Event{{asks(16 * MiB), assistant("a"), user("and?")}, round("1", 3*MiB), round("2", 3*MiB)},
			"(s0: " + older + ") r10 r20"},
		{"words were added to it", [][]ikigai.Event{{asks(16 * MiB)}, round("1", MiB), adds(), round("2", 3*MiB), round("3", 3*MiB)},
			"s0 (r10: " + older + ") (r20: " + older + ") r30"},
		{"documents were added to it", [][]ikigai.Event{{asks(12 * MiB)}, round("1", MiB), adds(5 * MiB), round("2", 2*MiB), round("3", 2*MiB)},
			"s0 (r10: " + older + ") a0 (r20: " + older + ") r30"},
		{"too much was added to it", [][]ikigai.Event{{asks(16 * MiB)}, round("1", MiB), adds(8*MiB, MiB)}, "s0 (r10: " + older + ") (a0: " + noRoom + ") a1"},
		{"too much in a round", [][]ikigai.Event{{asks(16 * MiB)}, round("1", 3*MiB, 3*MiB)}, "s0 (r10: " + noRoom + ") r11"},
		{"too large by itself", [][]ikigai.Event{{asks(30*MiB, MiB)}}, "(s0: " + tooLarge + ") s1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, m := range fold(slices.Concat(test.events...)...).Request().Messages {
				for _, p := range partsOf(m) {
					if isMedia(p) {
						got = append(got, p.Name)
						continue
					}
					name, why, _ := strings.Cut(strings.TrimPrefix(p.Text, "(file "), " is left out: ")
					got = append(got, "("+name+": "+why)
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
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
		loaded(l)
	}
	for _, m := range loaded(l).Messages[1:] {
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
