package process

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"
)

// BenchmarkTrueBare is the least that a program does to run a command.
func BenchmarkTrueBare(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("/bin/bash", "-c", "true")
		cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, []string{"PATH=/usr/bin:/bin"}, attributes()
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTrue(b *testing.B) {
	c := bash(b, "true")
	for b.Loop() {
		mustRun(b, c)
	}
}

// BenchmarkMuchBare drains 170 MB into a ring and a file.
func BenchmarkMuchBare(b *testing.B) {
	for b.Loop() {
		f, err := os.CreateTemp(b.TempDir(), "")
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command("/bin/bash", "-c", "seq 1 20000000")
		cmd.SysProcAttr = attributes()
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		ring, buf, at := make([]byte, 10<<10), make([]byte, 64<<10), 0
		for {
			n, err := out.Read(buf)
			for p := buf[:n]; len(p) > 0; {
				k := copy(ring[at:], p)
				p, at = p[k:], (at+k)%len(ring)
			}
			if _, err := f.Write(buf[:n]); err != nil {
				b.Fatal(err)
			}
			if err == io.EOF {
				break
			}
		}
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
		_ = os.Remove(f.Name())
	}
}

func BenchmarkMuch(b *testing.B) {
	c := bash(b, "seq 1 20000000")
	for b.Loop() {
		r := mustRun(b, c)
		if r.Output.FileBytes != 168888897 {
			b.Fatalf("%+v", r.Output.FileBytes)
		}
		_ = os.Remove(r.Output.File)
	}
}
