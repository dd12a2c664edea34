package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"
)

// MaxImage is the most bytes of an image that every vendor takes: 5 MB in base64.
const MaxImage = 3_750_000

// maxSide is the most pixels of a side that every vendor takes; some take more,
// but not of many images at once.
const maxSide = 2000

// Pixels are held in memory once they are decoded, and an image of few bytes can
// be one of very many: these are the most, some 400 MB of either kind. A
// photograph takes 3 bytes a pixel, 1.5 mostly; a PNG up to 8.
const (
	maxPixels = 50_000_000
	maxPhoto  = 120_000_000 // as those of telephones with 108 megapixels
)

// errPixels says that an image has too many pixels to be decoded.
type errPixels struct{ width, height, most int }

func (e errPixels) Error() string {
	return fmt.Sprintf("has %d by %d pixels, more than the %d million that can be read", e.width, e.height, e.most/1_000_000)
}

// codec reads images of one type.
type codec struct {
	config func(raw []byte) (image.Config, error)
	decode func(raw []byte) (image.Image, error)
}

// reads returns the codec of a package's functions.
func reads(config func(io.Reader) (image.Config, error), decode func(io.Reader) (image.Image, error)) codec {
	return codec{
		config: func(raw []byte) (image.Config, error) { return config(bytes.NewReader(raw)) },
		decode: func(raw []byte) (image.Image, error) { return decode(bytes.NewReader(raw)) },
	}
}

func codecOf(kind string) (codec, bool) {
	switch kind {
	case PNG:
		return reads(png.DecodeConfig, png.Decode), true
	case JPEG:
		return reads(jpeg.DecodeConfig, jpeg.Decode), true
	case GIF: // the first picture of several
		return reads(gif.DecodeConfig, gif.Decode), true
	case WebP:
		return reads(webp.DecodeConfig, webp.Decode), true
	case BMP:
		return reads(bmp.DecodeConfig, bmp.Decode), true
	case TIFF:
		return reads(tiff.DecodeConfig, tiff.Decode), true
	}
	return codec{}, false
}

// Taken reports whether every vendor takes raw as it is, a document or an
// image, as far as its type and its size tell.
func Taken(raw []byte) (is bool) {
	defer func() {
		if recover() != nil { // a decoder has met what it does not know
			is = false
		}
	}()
	kind := Type(raw)
	if kind == PDF {
		return len(raw) <= MaxAttached
	}
	c, ok := codecOf(kind)
	if !ok {
		return false
	}
	size, err := c.config(raw)
	return err == nil && taken(kind, raw, size)
}

// taken: GIF, WebP and the rarer types are refused by one vendor or another.
func taken(kind string, raw []byte, size image.Config) bool {
	return (kind == PNG || kind == JPEG) && len(raw) <= MaxImage && max(size.Width, size.Height) <= maxSide
}

// Fit returns an image as every vendor takes it, with its MIME type: raw itself
// or, where that is too large or of a type that not all take, another PNG or
// JPEG. The error continues a sentence that begins with the image's name; the
// image is damaged, too large to be decoded, or of a type that cannot be read.
func Fit(raw []byte) (fitted []byte, kind string, err error) {
	kind = Type(raw)
	c, ok := codecOf(kind)
	if !ok {
		return nil, "", errors.New("is of a type that cannot be read")
	}
	return c.fit(raw, kind)
}

// fit is Fit of an image whose type is known.
func (c codec) fit(raw []byte, kind string) (fitted []byte, fittedKind string, err error) {
	img, size, err := c.read(raw)
	switch {
	case err != nil:
		return nil, "", err
	case taken(kind, raw, size):
		return raw, kind, nil
	case kind == JPEG: // what is encoded anew has no note of how it is to be turned
		img = upright(within(img, maxSide), orientation(raw))
	}
	return shrink(img, kind == JPEG)
}

// read decodes an image, if it has no more pixels than can be held. A panic in a
// decoder is damage of the image, not an end of the program.
func (c codec) read(raw []byte) (img image.Image, size image.Config, err error) {
	defer func() {
		if v := recover(); v != nil {
			img, err = nil, fmt.Errorf("is damaged: %v", v)
		}
	}()
	if size, err = c.config(raw); err != nil {
		return nil, size, fmt.Errorf("is damaged: %w", err)
	}
	most := maxPixels
	if isPhoto(raw, size) {
		most = maxPhoto
	}
	if size.Width < 1 || size.Height < 1 || size.Width > most/size.Height {
		return nil, size, errPixels{size.Width, size.Height, most}
	}
	if img, err = c.decode(raw); err != nil { // damage further on shows only here
		return nil, size, fmt.Errorf("is damaged: %w", err)
	}
	return img, size, nil
}

// isPhoto reports whether an image is a JPEG that takes no more memory than its
// pixels: not one of four colours, and not one that comes in several passes, whose
// parts are held until the last.
func isPhoto(raw []byte, size image.Config) bool {
	if size.ColorModel != color.YCbCrModel && size.ColorModel != color.GrayModel {
		return false
	}
	for marker := range segments(raw) {
		if marker == sof0 || marker == sof1 {
			return true
		}
	}
	return false
}

// shrink encodes img, smaller if it has to be. photo tells that nothing is lost
// that was not lost before if it becomes a JPEG.
func shrink(img image.Image, photo bool) ([]byte, string, error) {
	for side := maxSide; side > 0; side /= 2 {
		smaller := within(img, side)
		if !photo {
			var b bytes.Buffer
			if err := png.Encode(&b, smaller); err == nil && b.Len() <= MaxImage {
				return b.Bytes(), PNG, nil
			}
		}
		for _, quality := range []int{90, 75} {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, onWhite(smaller), &jpeg.Options{Quality: quality}); err == nil && b.Len() <= MaxImage {
				return b.Bytes(), JPEG, nil
			}
		}
	}
	return nil, "", errors.New("cannot be made small enough")
}

// within returns img scaled down, if need be, so that its sides have at most
// side pixels.
func within(img image.Image, side int) image.Image {
	b := img.Bounds()
	longest := max(b.Dx(), b.Dy())
	if longest <= side {
		return img
	}
	// Steps of at most a half take every pixel into account, in little memory.
	next := max(side, (longest+1)/2)
	smaller := image.NewRGBA(image.Rect(0, 0, max(b.Dx()*next/longest, 1), max(b.Dy()*next/longest, 1)))
	draw.ApproxBiLinear.Scale(smaller, smaller.Bounds(), img, b, draw.Src, nil)
	return within(smaller, side)
}

// onWhite returns img without transparency, which JPEG does not have.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	opaque := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(opaque, opaque.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(opaque, opaque.Bounds(), img, img.Bounds().Min, draw.Over)
	return opaque
}
