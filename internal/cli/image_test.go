package cli

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// S3.13: an image that a tool reads reaches the model as an image.
func TestImageOfATool(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	bodies, _ := play(t, "user: look\ncall: file_read {\"path\": \""+path+"\"}\nreply:\nsay: Grey.\n", []string{"run", "look"})
	if len(bodies) != 2 {
		t.Fatalf("%d requests", len(bodies))
	}
	second := string(bodies[1])
	if !strings.Contains(second, `"data:image/png;base64,`+base64.StdEncoding.EncodeToString(b.Bytes())) || !strings.Contains(second, "PNG image, 30 x 20 pixels") {
		t.Errorf("%s", second)
	}
}
