package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ikigai"
	"ikigai/internal/archive"
)

// Programs that this one starts learn from their environment where the stores
// are.
const whereVariable = "BENCH_WHERE"

func workerEnv(e engine) []string { return []string{whereVariable + "=" + e.where()} }

func engineFromEnv(name string) engine {
	where := os.Getenv(whereVariable)
	if name == "SQLite" {
		return newSQLite(where)
	}
	return &postgresEngine{addr: where}
}

// work is one of these programs: what, the engine and the place.
func work(ctx context.Context, task string) {
	f := strings.Fields(task)
	e := engineFromEnv(f[1])
	switch f[0] {
	case "store", "bare":
		write(ctx, e, f[0], f[2])
	case "export":
		s, err := e.open(ctx, f[2])
		check(err)
		check(writeArchive(ctx, io.Discard, s))
		printPeak()
	case "copy":
		from, err := e.open(ctx, f[2])
		check(err)
		dir, err := os.MkdirTemp("", "ikigai-copy-")
		check(err)
		defer os.RemoveAll(dir)
		to, err := newSQLite(filepath.Join(dir)).open(ctx, "to")
		check(err)
		_, err = archive.Copy(ctx, from, to, archive.CopyOptions{})
		check(err)
		printPeak()
	}
}

// write writes events into a store or a bare table. It is ready when it has
// printed a byte and begins when its input ends.
func write(ctx context.Context, e engine, kind, place string) {
	var insert func(i int) error
	if kind == "bare" {
		bare, err := e.bare(ctx, place)
		check(err)
		session := newID()
		insert = func(i int) error { return bare.insert(ctx, result(session, ikigai.Seq(i+1))) }
	} else {
		s, err := e.open(ctx, place)
		check(err)
		g, _ := begin(ctx, s, "/src")
		insert = func(i int) error { return s.Append(ctx, g, ikigai.Seq(i+1), result(g.Session, ikigai.Seq(i+2))) }
	}
	fmt.Print(".")
	_, err := io.Copy(io.Discard, os.Stdin)
	check(err)
	for i := range workerEvents {
		check(insert(i))
	}
}

func writeArchive(ctx context.Context, w io.Writer, s ikigai.Store) error {
	_, err := archive.Write(ctx, w, s, archive.WriteOptions{})
	return err
}

// printPeak prints the most memory that this program has had, in KiB. The
// figure of getrusage would be that of the program that started it, if larger.
func printPeak() {
	status, err := os.ReadFile("/proc/self/status")
	check(err)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(strings.Fields(after)[0])
}
