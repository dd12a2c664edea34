package media

import "testing"

func TestDimensions(t *testing.T) {
	for _, kind := range []string{PNG, JPEG, GIF, BMP, TIFF} {
		raw := encoded(t, kind, picture(30, 20))
		if w, h, ok := Dimensions(raw); w != 30 || h != 20 || !ok {
			t.Errorf("%s: %d by %d, %v", kind, w, h, ok)
		}
		if _, _, ok := Dimensions(raw[:10]); ok {
			t.Errorf("%s: its first bytes are an image", kind)
		}
	}
	for _, other := range []string{"", "%PDF-1.7", "text"} {
		if _, _, ok := Dimensions([]byte(other)); ok {
			t.Errorf("%q is an image", other)
		}
	}
}
