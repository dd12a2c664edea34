package tools

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
)

func (b *bench) onlyFiles(want ...string) {
	b.t.Helper()
	var got []string
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("files (-want +got):\n%s", diff)
	}
}

// S2.59, S2.64, S2.67, P15
func TestFileWrite(t *testing.T) {
	b := newBench(t, Config{})
	for _, content := range []string{"hello\n", "", "no line break", "a\r\nb\rc\n", "\uFEFFé\x00", "no line break", strings.Repeat("x", 3<<20)} {
		r := b.call("file_write", `{"path":"f","content":`+quoted(content)+`}`)
		if r.Failed || b.read("f") != content {
			t.Errorf("%.50q: %s", content, text(r))
		}
	}
	r := b.want("file_write", `{"path":"new/deep/é.txt","content":"é\n"}`, `{"output":"Wrote 3 bytes to new/deep/é.txt","bytes":3}`, "Wrote 3 bytes to new/deep/é.txt")
	full := filepath.Join(b.dir, "new/deep/é.txt")
	if diff := cmp.Diff([]ikigai.Resource{{URI: full, Changed: true, SHA256: hashOf([]byte("é\n"))}}, r.Resources); diff != "" {
		t.Error(diff)
	}
	b.call("file_write", `{"path":"`+b.dir+`/abs","content":"x"}`)
	b.write("abs", utf16Of(utf16LE, bomUTF16LE, "x"))
	if r := b.call("file_write", `{"path":"abs","content":"x"}`); !strings.Contains(r.Note, "was in UTF-16LE") || b.read("abs") != "x" {
		t.Errorf("note %q", r.Note)
	}
	b.onlyFiles("abs", "f", "new")
}

// The person is told what of a file was changed, where it is text and not long.
func TestFileWriteReport(t *testing.T) {
	b := newBench(t, Config{})
	long := strings.Repeat("line\n", mostDiffed/4)
	for _, tc := range []struct{ before, after, want string }{
		{"one\ntwo\n", "one\n2\n", "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"},
		{"one", "one\n", "@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+one\n"},
		{"one\n", "", "@@ -1,1 +0,0 @@\n-one\n"},
		{"one\n", "one\n", ""}, {"", "one\n", ""}, {"a\x00", "one\n", ""}, {"one\n", "a\x00", ""}, {"\xff", "one\n", ""},
		{long, "one\n", ""}, {"one\n", long, ""},
	} {
		b.write("f", tc.before)
		b.call("file_read", `{"path":"f"}`)
		r := b.call("file_write", `{"path":"f","content":`+quoted(tc.after)+`}`)
		summary, got, _ := strings.Cut(r.Report, "\n")
		if r.Failed || got != tc.want || !strings.HasPrefix(summary, "Wrote ") || strings.Contains(text(r), "@@") {
			t.Errorf("%.20q to %.20q: %q", tc.before, tc.after, r.Report)
		}
	}
}

// P16: mode, owner and link stay.
func TestFileWriteKeeps(t *testing.T) {
	b := newBench(t, Config{})
	b.write("dir/script", "old")
	target := filepath.Join(b.dir, "dir/script")
	if err := os.Chmod(target, 0o751); err != nil {
		t.Fatal(err)
	}
	owned := os.Getuid() == 0
	if owned {
		if err := os.Chown(target, 12, 34); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"one": "dir/script", "two": "one", "dangling": "dir/made"} {
		if err := os.Symlink(to, filepath.Join(b.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var intended []string
	call := ikigai.Call{Intend: func(_ context.Context, path string) error {
		intended = append(intended, path)
		return nil
	}}
	r := b.callWith(context.Background(), "file_write", `{"path":"two","content":"new"}`, call)
	b.callWith(context.Background(), "file_write", `{"path":"dangling","content":"made"}`, call)
	info, err := os.Stat(target)
	if err != nil || info.Mode() != 0o751 || b.read("dir/script") != "new" || b.read("dir/made") != "made" {
		t.Errorf("%v, %v, %q", info.Mode(), err, b.read("dir/script"))
	}
	if stat := info.Sys().(*syscall.Stat_t); owned && (stat.Uid != 12 || stat.Gid != 34) {
		t.Errorf("owner %d:%d", stat.Uid, stat.Gid)
	}
	for _, link := range []string{"one", "two", "dangling"} {
		if info, err := os.Lstat(filepath.Join(b.dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	if diff := cmp.Diff([]string{target, filepath.Join(b.dir, "dir/made")}, intended); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
	if r.Resources[0].URI != target {
		t.Errorf("resource %s", r.Resources[0].URI)
	}
}

// A new file gets the mode that the system gives.
func TestFileWriteMode(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	b := newBench(t, Config{})
	b.call("file_write", `{"path":"f","content":"x"}`)
	if info, err := os.Stat(filepath.Join(b.dir, "f")); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What was there cannot be kept: then nothing is changed.
func TestFileWriteNotKept(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "old")
	for _, path := range []string{"f", "new/g"} {
		r := b.callWith(context.Background(), "file_write", `{"path":"`+path+`","content":"new"}`, ikigai.Call{Intend: func(context.Context, string) error {
			if b.read("f") != "old" {
				t.Error("changed before it was announced")
			}
			return errors.New("the store is away")
		}})
		if !r.Failed || field(t, r, "error_code") != "NOT_KEPT" || !strings.Contains(text(r), "the store is away") || !twoSentences.MatchString(field(t, r, "error")) {
			t.Error(text(r))
		}
	}
	b.onlyFiles("f")
	if b.read("f") != "old" {
		t.Error("changed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := b.callWith(ctx, "file_write", `{"path":"f","content":"new"}`, ikigai.Call{Intend: func(context.Context, string) error { cancel(); return nil }})
	if field(t, r, "error_code") != "CANCELLED" || b.read("f") != "old" {
		t.Error(text(r))
	}
}

// P14: the old content is there, whole, until the new one is.
func TestFileWriteAtomic(t *testing.T) {
	b := newBench(t, Config{})
	one, two := strings.Repeat("1", 1<<20), strings.Repeat("2", 1<<20)
	b.write("f", one)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			b.call("file_write", `{"path":"f","content":"`+[]string{two, one}[i%2]+`"}`)
		}
	}()
	for {
		if got := b.read("f"); got != one && got != two {
			t.Fatalf("%d bytes, %.5q…", len(got), got)
		}
		select {
		case <-done:
			b.onlyFiles("f")
			return
		default:
		}
	}
}

// A file that can be written but not replaced is written in place.
func TestOverwrite(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "something long")
	path := filepath.Join(b.dir, "f")
	for _, content := range []string{"short", "", "longer than what was there before", "longer than before"} {
		old, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := overwrite(path, old, []byte(content)); err != nil || b.read("f") != content {
			t.Errorf("%q: %q, %v", content, b.read("f"), err)
		}
	}
	for err, want := range map[error]bool{syscall.EACCES: true, syscall.EBUSY: true, syscall.ENOSPC: false, syscall.EIO: false} {
		if got := irreplaceable(&os.LinkError{Err: err}); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// S2.70: every error of the file system has words of its own, or the system's.
func TestFileFailure(t *testing.T) {
	for err, code := range map[error]string{
		syscall.ENOENT: "FILE_NOT_FOUND", syscall.EACCES: "PERMISSION_DENIED", syscall.EPERM: "PERMISSION_DENIED", syscall.EISDIR: "IS_DIRECTORY",
		syscall.ENOTDIR: "NOT_A_DIRECTORY", syscall.ENOSPC: "DISK_FULL", syscall.EDQUOT: "DISK_FULL", syscall.EROFS: "READ_ONLY",
		syscall.ELOOP: "FILE_ERROR", syscall.EIO: "FILE_ERROR", errors.New("odd"): "FILE_ERROR",
	} {
		r := fileFailure("write", "a/b", &os.PathError{Op: "open", Path: "/secret/a/b", Err: err})
		if m := field(t, r, "error"); field(t, r, "error_code") != code || !strings.Contains(m, "a/b") || strings.Contains(m, "secret") || !twoSentences.MatchString(m) {
			t.Errorf("%v: %s", err, text(r))
		}
	}
}
