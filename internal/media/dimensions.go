package media

// Dimensions returns the width and the height of an image in pixels, as its
// first bytes tell them; false if raw is no image that can be read.
func Dimensions(raw []byte) (width, height int, ok bool) {
	defer func() {
		if recover() != nil { // a decoder has met what it does not know
			ok = false
		}
	}()
	c, known := codecOf(Type(raw))
	if !known {
		return 0, 0, false
	}
	size, err := c.config(raw)
	return size.Width, size.Height, err == nil
}
