package preimage

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// TestTake keeps what there is of each kind, and State says the same of it.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("text"), 0o640))
	must(t, os.WriteFile(dir+"/empty", nil, 0o600))
	must(t, os.Symlink("nowhere", dir+"/link"))
	must(t, os.Mkdir(dir+"/dir", 0o755))
	cases := []struct {
		name  string
		want  ikigai.ChangeData
		blob  string
		state ikigai.FileState
	}{
		{"file", ikigai.ChangeData{Existed: true, Mode: 0o640, Size: 4, Blob: hashOf("text")}, "text",
			ikigai.FileState{Exists: true, Mode: 0o640, Size: 4, SHA256: hashOf("text")}},
		{"empty", ikigai.ChangeData{Existed: true, Mode: 0o600, Blob: hashOf("")}, "",
			ikigai.FileState{Exists: true, Mode: 0o600, SHA256: hashOf("")}},
		{"link", ikigai.ChangeData{Existed: true, Link: "nowhere"}, "", ikigai.FileState{Exists: true, Link: "nowhere"}},
		{"new", ikigai.ChangeData{}, "", ikigai.FileState{}},
		{"dir/new", ikigai.ChangeData{}, "", ikigai.FileState{}},
		{"a/b/new", ikigai.ChangeData{NewDirs: 2}, "", ikigai.FileState{}},
		{"file/new", ikigai.ChangeData{NewDirs: 1}, "", ikigai.FileState{}},
	}
	for _, c := range cases {
		path := filepath.Join(dir, c.name)
		c.want.Path = path
		got, blobs, err := Take(path, "")
		must(t, err)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if c.want.Blob == "" && len(blobs) > 0 || c.want.Blob != "" && (len(blobs) != 1 || string(blobs[0].Bytes) != c.blob || blobs[0].Hash != c.want.Blob) {
			t.Errorf("%s: blobs %+v", c.name, blobs)
		}
		state, _, err := State(path)
		must(t, err)
		if state != c.state {
			t.Errorf("%s: state %+v", c.name, state)
		}
	}
}

// TestTakeRefuses keeps nothing of what is no file, and never waits for it.
func TestTakeRefuses(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(dir+"/pipe", 0o600))
	for _, name := range []string{"pipe", ""} {
		if _, _, err := Take(filepath.Join(dir, name), dir); err == nil || !strings.Contains(err.Error(), "is no file") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestTakeLarge keeps what is too large for a store in a file that is named by
// its hash, once.
func TestTakeLarge(t *testing.T) {
	dir := t.TempDir()
	content := strings.Repeat("0123456789abcdef", MaxBlob/16) + "!"
	must(t, os.WriteFile(dir+"/f", []byte(content), 0o600))
	for range 2 {
		d, blobs, err := Take(dir+"/f", dir+"/kept")
		must(t, err)
		if want := filepath.Join(dir, "kept", hashOf(content)); d.File != want || len(blobs) > 0 {
			t.Fatalf("%+v", d)
		}
		kept, err := os.ReadFile(d.File)
		must(t, err)
		if string(kept) != content {
			t.Error("another content is kept")
		}
	}
	if all, err := os.ReadDir(dir + "/kept"); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
}

// BenchmarkKeep keeps a file of 100 MB; BenchmarkCopy copies it, synced, as the
// floor.
func BenchmarkKeep(b *testing.B) {
	dir := large(b)
	for b.Loop() {
		must(b, os.RemoveAll(dir+"/kept"))
		_, _, err := Take(dir+"/f", dir+"/kept")
		must(b, err)
	}
}

func BenchmarkCopy(b *testing.B) {
	dir := large(b)
	for b.Loop() {
		content, err := os.ReadFile(dir + "/f")
		must(b, err)
		f, err := os.Create(dir + "/copy")
		must(b, err)
		_, err = f.Write(content)
		must(b, err)
		must(b, f.Sync())
		must(b, f.Close())
	}
}

func large(b *testing.B) string {
	dir := b.TempDir()
	must(b, os.WriteFile(dir+"/f", []byte(strings.Repeat("0123456789abcdef", 100<<20/16)), 0o600))
	return dir
}
