package media

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// MIME types that Type knows.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	BMP  = "image/bmp"
	TIFF = "image/tiff"
	HEIC = "image/heic" // known, but not read
	AVIF = "image/avif" // the same
	PDF  = "application/pdf"
)

// Type returns the MIME type of an image or a document, by how its bytes begin;
// "" for anything else.
func Type(b []byte) string {
	begins := func(s string) bool { return bytes.HasPrefix(b, []byte(s)) }
	switch {
	case begins("\x89PNG\r\n\x1a\n"):
		return PNG
	case begins("\xff\xd8\xff"):
		return JPEG
	case begins("GIF87a"), begins("GIF89a"):
		return GIF
	case begins("RIFF") && len(b) >= 12 && string(b[8:12]) == "WEBP":
		return WebP
	case begins("II*\x00"), begins("MM\x00*"):
		return TIFF
	case begins("%PDF-"):
		return PDF
	case begins("BM") && isBMP(b):
		return BMP
	case len(b) >= 12 && string(b[4:8]) == "ftyp":
		return brand(string(b[8:12]))
	}
	return ""
}

// isBMP tells a bitmap from a text that begins with its two letters.
func isBMP(b []byte) bool {
	if len(b) < 18 || binary.LittleEndian.Uint32(b[6:]) != 0 {
		return false
	}
	return slices.Contains([]uint32{12, 40, 52, 56, 64, 108, 124}, binary.LittleEndian.Uint32(b[14:]))
}

// brand returns the type of the images that some containers hold.
func brand(s string) string {
	switch s {
	case "heic", "heix", "mif1", "msf1":
		return HEIC
	case "avif", "avis":
		return AVIF
	}
	return ""
}
