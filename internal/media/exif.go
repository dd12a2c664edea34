package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"iter"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// orientation returns how a JPEG wants to be turned, as Exif numbers it: 1 is
// upright, and what a photograph without a note of it is.
func orientation(raw []byte) int {
	for marker, segment := range segments(raw) {
		if exif, ok := bytes.CutPrefix(segment, []byte("Exif\x00\x00")); ok && marker == app1 {
			return orientationTag(exif)
		}
	}
	return 1
}

// Markers of segments of a JPEG.
const (
	sof0 = 0xC0 // of a picture in one pass
	sof1 = 0xC1 // likewise
	sos  = 0xDA // the picture itself
	app1 = 0xE1
)

// segments yields the segments of a JPEG before its picture: the marker of each,
// and what it holds.
func segments(raw []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for rest := raw[min(2, len(raw)):]; len(rest) >= 4 && rest[0] == 0xFF; {
			if n := loneMarker(rest[1]); n > 0 {
				rest = rest[n:]
				continue
			}
			n := int(binary.BigEndian.Uint16(rest[2:])) + 2
			if n < 4 || n > len(rest) || rest[1] == sos || !yield(rest[1], rest[4:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// loneMarker returns the bytes that a marker takes which begins no segment, and
// 0 if it begins one. What follows a byte that only fills is a marker again.
func loneMarker(marker byte) int {
	switch {
	case marker == 0xFF: // fills
		return 1
	case marker == 0x01, 0xD0 <= marker && marker <= 0xD7: // TEM, RST
		return 2
	}
	return 0
}

// orientationTag looks for the orientation in the first directory of a TIFF.
func orientationTag(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(tiff, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(tiff) < 8 {
		return 1
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 0x0112 {
			if n := int(order.Uint16(entries[8:])); 1 <= n && n <= 8 {
				return n
			}
			break
		}
		entries = entries[12:]
	}
	return 1
}

// upright returns img turned as its orientation asks.
func upright(img image.Image, orientation int) image.Image {
	if orientation == 1 {
		return img
	}
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	turns := map[int]f64.Aff3{
		2: {-1, 0, w, 0, 1, 0},
		3: {-1, 0, w, 0, -1, h},
		4: {1, 0, 0, 0, -1, h},
		5: {0, 1, 0, 1, 0, 0},
		6: {0, -1, h, 1, 0, 0},
		7: {0, -1, h, -1, 0, w},
		8: {0, 1, 0, -1, 0, w},
	}
	size := image.Rect(0, 0, b.Dx(), b.Dy())
	if orientation >= 5 {
		size = image.Rect(0, 0, b.Dy(), b.Dx())
	}
	turned := image.NewRGBA(size)
	draw.NearestNeighbor.Transform(turned, turns[orientation], img, b, draw.Src, nil)
	return turned
}
