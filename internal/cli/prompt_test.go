package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/media"
)

// What would not be sent as a whole is refused before anything is recorded. P3
func TestAttachedTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pdf := func(name string, size int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, append([]byte("%PDF-1.7\n1 0 obj\n%%EOF"), make([]byte, size-22)...), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half, rest, page := pdf("half.pdf", media.MaxAttached/2), pdf("rest.pdf", media.MaxAttached/2), pdf("page.pdf", 1000)
	for _, test := range []struct {
		name  string
		files []string
		want  string // of the error; "" if there is none
	}{
		{"as much as is sent", []string{half, rest}, ""},
		{"more", []string{half, rest, page, page}, "The images and documents up to " + page + " are larger than 16 MiB together"},
		{"as many as are sent", slices.Repeat([]string{page}, media.MaxCount), ""},
		{"one more", slices.Repeat([]string{page}, media.MaxCount+1), "More than 90 images and documents are attached"},
	} {
		event, err := (&app{}).statement([]string{"look"}, test.files, false)
		switch {
		case test.want == "" && (err != nil || len(event.Blobs) != len(test.files)):
			t.Errorf("%s: %d blobs, %v", test.name, len(event.Blobs), err)
		case test.want != "" && (ikigai.KindOf(err) != ikigai.ErrorUsage || !strings.HasPrefix(err.Error(), test.want)):
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
