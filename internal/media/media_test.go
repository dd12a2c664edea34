package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"ikigai"
)

// picture is red at the left and blue at the right.
func picture(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 200, A: 255}
			if x >= w/2 {
				c = color.NRGBA{B: 200, A: 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// noise is what no encoder makes small.
func noise(w, h int) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	img := picture(w, h)
	for i := range img.Pix {
		if i%4 != 3 {
			img.Pix[i] = byte(r.Uint32())
		}
	}
	return img
}

func encoded(t testing.TB, kind string, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case PNG:
		err = png.Encode(&b, img)
	case JPEG:
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	case GIF:
		err = gif.Encode(&b, img, nil)
	case BMP:
		err = bmp.Encode(&b, img)
	case TIFF:
		err = tiff.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webp is a picture of one pixel.
const webpPixel = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestType(t *testing.T) {
	for want, raw := range map[string][]byte{
		PNG: encoded(t, PNG, picture(2, 2)), JPEG: encoded(t, JPEG, picture(2, 2)), GIF: encoded(t, GIF, picture(2, 2)),
		BMP: encoded(t, BMP, picture(2, 2)), TIFF: encoded(t, TIFF, picture(2, 2)), WebP: []byte(webpPixel),
		PDF: []byte("%PDF-1.7\n"), HEIC: []byte("\x00\x00\x00\x18ftypheic"), AVIF: []byte("\x00\x00\x00\x18ftypavif"),
	} {
		if got := Type(raw); got != want {
			t.Errorf("%s is taken for %q", want, got)
		}
	}
	for _, text := range []string{"", "BM is what a text may begin with", "GIF", "package main", "RIFF of the day: none", "\x00\x00\x00\x18ftypisom"} {
		if got := Type([]byte(text)); got != "" {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

// What is fit is what every vendor takes. P3
func TestFit(t *testing.T) {
	tests := []struct {
		name string
		raw  []byte
		kind string
		w, h int
		same bool // the bytes stay
	}{
		{"a small PNG", encoded(t, PNG, picture(300, 200)), PNG, 300, 200, true},
		{"a small JPEG", encoded(t, JPEG, picture(300, 200)), JPEG, 300, 200, true},
		{"the largest PNG", encoded(t, PNG, picture(2000, 10)), PNG, 2000, 10, true},
		{"a wide PNG", encoded(t, PNG, picture(4000, 1000)), PNG, 2000, 500, false},
		{"a tall JPEG", encoded(t, JPEG, picture(1000, 2500)), JPEG, 800, 2000, false},
		{"a thin one", encoded(t, PNG, picture(9000, 1)), PNG, 2000, 1, false},
		{"many bytes", encoded(t, PNG, noise(1400, 1400)), JPEG, 1400, 1400, false},
		{"a GIF", encoded(t, GIF, picture(30, 20)), PNG, 30, 20, false},
		{"a WebP", []byte(webpPixel), PNG, 1, 1, false},
		{"a BMP", encoded(t, BMP, picture(30, 20)), PNG, 30, 20, false},
		{"a TIFF", encoded(t, TIFF, picture(30, 20)), PNG, 30, 20, false},
		{"a photograph on its side", turned(encoded(t, JPEG, picture(2400, 1200)), 6), JPEG, 1000, 2000, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fitted, kind, err := Fit(test.raw)
			if err != nil {
				t.Fatal(err)
			}
			size, format, err := image.DecodeConfig(bytes.NewReader(fitted))
			if err != nil || kind != test.kind || "image/"+format != test.kind || size.Width != test.w || size.Height != test.h {
				t.Errorf("%s, %d by %d, %v; want %s, %d by %d", kind, size.Width, size.Height, err, test.kind, test.w, test.h)
			}
			if got := bytes.Equal(fitted, test.raw); got != test.same || Taken(test.raw) != test.same {
				t.Errorf("the same bytes: %v; taken: %v; want %v", got, Taken(test.raw), test.same)
			}
			if len(fitted) > MaxImage || !Taken(fitted) {
				t.Errorf("%d bytes are not taken", len(fitted))
			}
		})
	}
}

// turned gives a JPEG a note of how it wants to be turned.
func turned(raw []byte, orientation byte) []byte {
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string([]byte{orientation}) + "\x00\x00\x00\x00\x00\x00"
	segment := append([]byte{0xFF, 0xE1, 0, byte(len(exif) + 2)}, exif...)
	return bytes.Join([][]byte{raw[:2], segment, raw[2:]}, nil)
}

// A photograph is upright after it was made smaller, whichever way it lay.
func TestUpright(t *testing.T) {
	// Where the left side, which is red, comes to stand.
	for orientation, red := range map[int]image.Point{
		1: {10, 100}, 2: {190, 100}, 3: {190, 100}, 4: {10, 100},
		5: {100, 10}, 6: {100, 10}, 7: {100, 190}, 8: {100, 190},
	} {
		img := upright(picture(200, 200), orientation)
		r, _, b, _ := img.At(red.X, red.Y).RGBA()
		if r == 0 || b != 0 {
			t.Errorf("orientation %d: no red at %v", orientation, red)
		}
		if got := orientation8(t, byte(orientation)); got != orientation {
			t.Errorf("orientation %d is read as %d", orientation, got)
		}
	}
}

func orientation8(t *testing.T, n byte) int {
	return orientation(turned(encoded(t, JPEG, picture(8, 8)), n))
}

// A JPEG's markers may stand alone, and a segment may say that it is shorter
// than its own length.
func TestOddMarkers(t *testing.T) {
	photo := turned(encoded(t, JPEG, picture(2100, 3)), 6)
	for name, test := range map[string]struct {
		odd  string // after the first marker
		want int    // orientation
	}{
		"a restart and no length":          {"\xFF\xD0\x00\x00", 1},
		"restart, TEM and bytes that fill": {"\xFF\xD7\xFF\x01\xFF\xFF", 6},
		"a segment of length 0":            {"\xFF\xE0\x00\x00", 1},
		"a segment of length 1":            {"\xFF\xE0\x00\x01", 1},
		"an empty segment":                 {"\xFF\xE0\x00\x02", 6},
		"a segment that goes on":           {"\xFF\xE0\xFF\xFF", 1},
	} {
		raw := slices.Concat(photo[:2], []byte(test.odd), photo[2:])
		if got := orientation(raw); got != test.want {
			t.Errorf("%s: orientation %d, want %d", name, got, test.want)
		}
		if fitted, _, err := Fit(raw); err == nil && !Taken(fitted) {
			t.Errorf("%s: %d bytes that are not taken", name, len(fitted))
		}
	}
}

// A decoder that panics has met a damaged image.
func TestDecoderPanics(t *testing.T) {
	c, _ := codecOf(PNG)
	c.decode = func([]byte) (image.Image, error) { panic("index out of range") }
	raw := encoded(t, PNG, picture(2, 2))
	fitted, kind, err := c.fit(raw, PNG)
	if fitted != nil || kind != "" || err == nil || err.Error() != "is damaged: index out of range" {
		t.Errorf("%d bytes, %q, %v", len(fitted), kind, err)
	}
}

// Transparency becomes white where there is none.
func TestOnWhite(t *testing.T) {
	img := noise(1400, 1400)
	for y := range 100 {
		for x := range 100 {
			img.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	fitted, kind, err := Fit(encoded(t, PNG, img))
	if err != nil || kind != JPEG {
		t.Fatal(kind, err)
	}
	got, _ := jpeg.Decode(bytes.NewReader(fitted))
	if r, g, b, _ := got.At(50, 50).RGBA(); min(r, g, b) < 0xE000 {
		t.Errorf("it is %x %x %x", r, g, b)
	}
}

// What cannot be sent to anybody is said before it is tried. P3
func TestAttachRefuses(t *testing.T) {
	good := encoded(t, PNG, noise(100, 100))
	tests := []struct {
		name string
		raw  []byte
		want string
	}{
		{"cut.png", good[:len(good)/2], "The image cut.png is damaged: "},
		{"cut.jpg", encoded(t, JPEG, noise(100, 100))[:2000], "The image cut.jpg is damaged: "},
		{"head.png", good[:10], "The image head.png is damaged: "},
		{"bomb.png", bomb(t), "The image bomb.png has 60000 by 60000 pixels, more than the 50 million that can be read. Make it smaller, and attach that."},
		{"photo.heic", []byte("\x00\x00\x00\x18ftypheic"), "The image photo.heic is of a type that cannot be read."},
		{"empty.pdf", []byte("%PDF-1.7\n%%EOF\n"), "The document empty.pdf is damaged: it holds nothing. "},
		{"cut.pdf", slices.Concat([]byte("%PDF-1.7\n1 0 obj\n%%EOF\n"), bytes.Repeat([]byte("x"), 2000)), "The document cut.pdf is damaged: its end is missing. "},
		{"long.pdf", append([]byte("%PDF-1.7"), make([]byte, MaxAttached)...), "The document long.pdf is larger than 16 MiB, the most that is sent. "},
	}
	for _, test := range tests {
		_, _, err := Attach(test.name, test.raw)
		var e *ikigai.Error
		if !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage || e.Do == "" || !strings.HasPrefix(e.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if Taken(test.raw) && !strings.HasPrefix(test.name, "cut.") && test.name != "empty.pdf" { // damage further on is not looked for
			t.Errorf("%s is taken", test.name)
		}
	}
}

// bomb is few bytes that say they are very many pixels.
func bomb(t *testing.T) []byte {
	raw := bytes.Clone(encoded(t, PNG, picture(2, 2)))
	binary.BigEndian.PutUint32(raw[16:], 60000)
	binary.BigEndian.PutUint32(raw[20:], 60000)
	binary.BigEndian.PutUint32(raw[29:], crc32.ChecksumIEEE(raw[12:29]))
	return raw
}

// A photograph of a telephone is made smaller; one that comes in several passes
// takes several times the memory, and has fewer pixels for it.
func TestLargePhotos(t *testing.T) {
	photo := encoded(t, JPEG, image.NewYCbCr(image.Rect(0, 0, 8, 8), image.YCbCrSubsampleRatio420))
	frame := bytes.Index(photo, []byte{0xFF, sof0})
	sized := func(marker byte, width, height uint16) []byte {
		raw := bytes.Clone(photo)
		raw[frame+1] = marker
		binary.BigEndian.PutUint16(raw[frame+5:], height)
		binary.BigEndian.PutUint16(raw[frame+7:], width)
		return raw
	}
	const progressive = 0xC2
	for _, tt := range []struct {
		marker        byte
		width, height uint16
		most          int // 0 is that it is decoded
	}{
		{sof0, 12000, 9000, 0}, {sof1, 9000, 12000, 0}, {sof0, 16320, 12240, maxPhoto},
		{progressive, 12000, 9000, maxPixels}, {progressive, 8000, 6000, 0},
	} {
		raw, decoded := sized(tt.marker, tt.width, tt.height), false
		c, _ := codecOf(JPEG)
		c.decode = func([]byte) (image.Image, error) {
			decoded = true
			return picture(1, 1), nil
		}
		_, size, err := c.read(raw)
		var many errPixels
		if errors.As(err, &many); decoded != (tt.most == 0) || many.most != tt.most || size.Width != int(tt.width) {
			t.Errorf("%x, %d by %d: decoded %t, %v", tt.marker, tt.width, tt.height, decoded, err)
		}
	}
}

// The original stays, and what is sent stands beside it.
func TestAttach(t *testing.T) {
	small, large := encoded(t, PNG, picture(20, 20)), encoded(t, PNG, picture(2400, 20))
	p, blobs, err := Attach("a.png", small)
	if err != nil || p.Type != ikigai.PartImage || p.Media != PNG || p.Fit != "" || p.Size != int64(len(small)) ||
		len(blobs) != 1 || blobs[0].Hash != p.Blob || !bytes.Equal(blobs[0].Bytes, small) {
		t.Errorf("%+v, %d blobs, %v", p, len(blobs), err)
	}
	p, blobs, err = Attach("b.png", large)
	if err != nil || len(blobs) != 2 || blobs[0].Hash != p.Blob || blobs[1].Hash != p.Fit || p.Size != int64(len(blobs[1].Bytes)) {
		t.Errorf("%+v, %d blobs, %v", p, len(blobs), err)
	}
	p, blobs, err = Attach("c.pdf", []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n"))
	if err != nil || p.Type != ikigai.PartFile || p.Media != PDF || p.Name != "c.pdf" || len(blobs) != 1 {
		t.Errorf("%+v, %d blobs, %v", p, len(blobs), err)
	}
}

// Whatever the bytes, Fit returns; what it returns is taken, and is fit already.
func FuzzFit(f *testing.F) {
	for _, kind := range []string{PNG, JPEG, GIF, BMP, TIFF} {
		f.Add(encoded(f, kind, picture(9, 5)))
	}
	f.Add([]byte(webpPixel))
	photo := turned(encoded(f, JPEG, picture(2100, 3)), 8)
	f.Add(photo)
	f.Add(slices.Concat(photo[:2], []byte("\xFF\xD0\x00\x00"), photo[2:]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if size, _, err := image.DecodeConfig(bytes.NewReader(raw)); err == nil && size.Width*size.Height > 1<<20 {
			return // takes too long to try many of
		}
		fitted, kind, err := Fit(raw)
		if err != nil {
			return
		}
		if Type(fitted) != kind || !Taken(fitted) {
			t.Fatalf("%s, taken: %v", kind, Taken(fitted))
		}
		again, _, err := Fit(fitted)
		if err != nil || !bytes.Equal(again, fitted) {
			t.Fatalf("it is not fit: %v", err)
		}
	})
}
