package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/session"
)

// appends compares the append of one event with a bare prepared insert that is
// as durable.
func appends(ctx context.Context, e engine) {
	const times = 500
	s, err := e.open(ctx, "append")
	check(err)
	defer s.Close()
	bare, err := e.bare(ctx, "append_bare")
	check(err)
	defer bare.close()
	g, release := begin(ctx, s, "/src")
	defer release()
	after, session, n := ikigai.Seq(1), newID(), ikigai.Seq(0)
	a, b := pairs(
		func() {
			for range times {
				check(s.Append(ctx, g, after, result(g.Session, after+1)))
				after++
			}
		},
		func() {
			for range times {
				n++
				check(bare.insert(ctx, result(session, n)))
			}
		})
	row(e.name()+": append of one event, durable", "ms", a/times, b/times, "1.5")
}

// writers compares 8 programs that write to a session each with 8 that insert
// into a bare table.
func writers(ctx context.Context, e engine) {
	s, err := e.open(ctx, "writers") // so that there is a schema
	check(err)
	defer s.Close()
	bare, err := e.bare(ctx, "writers_bare")
	check(err)
	defer bare.close()
	var as, bs []float64
	for range *runs {
		as, bs = append(as, eightWorkers(e, "store", "writers")), append(bs, eightWorkers(e, "bare", "writers_bare"))
	}
	a, b := median(as), median(bs)
	fmt.Printf("%-58s %5.0f /s   %5.0f /s   %8.2f %8s\n", e.name()+": append by 8 programs to 8 sessions",
		8*workerEvents/a*1000, 8*workerEvents/b*1000, b/a, ">= 0.8")
}

const workerEvents = 250

// eightWorkers runs 8 programs and returns the milliseconds from the first
// write to the end of all. All are ready before the first one writes.
func eightWorkers(e engine, kind, name string) float64 {
	type child struct {
		cmd *exec.Cmd
		in  io.WriteCloser
	}
	var children []child
	for range 8 {
		cmd := exec.Command(os.Args[0], "-worker", kind+" "+e.name()+" "+name)
		cmd.Env = append(os.Environ(), workerEnv(e)...)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		check(err)
		out, err := cmd.StdoutPipe()
		check(err)
		check(cmd.Start())
		_, err = io.ReadFull(out, make([]byte, 1))
		check(err)
		children = append(children, child{cmd, in})
	}
	return timed(func() {
		for _, c := range children {
			check(c.in.Close())
		}
		for _, c := range children {
			check(c.cmd.Wait())
		}
	})
}

// restore compares the way from the store to a conversation that can be sent
// with reading the same rows.
func restore(ctx context.Context, e engine) {
	s, err := e.open(ctx, "restore")
	check(err)
	defer s.Close()
	bare, err := e.bare(ctx, "restore_bare")
	check(err)
	defer bare.close()
	g, release := begin(ctx, s, "/src")
	defer release()
	all := conversation(g.Session, "/src", 10_000, newRand())
	check(s.Append(ctx, g, 1, all[1:]...))
	for _, ev := range all {
		check(bare.insert(ctx, ev))
	}
	a, b := pairs(
		func() {
			line := history.New(ikigai.Main)
			open, err := session.Restore(ctx, session.Config{Store: s, Grant: g, Projections: []session.Projection{line}})
			check(err)
			open.Close()
			if n := len(line.Request().Messages); n < 9_000 {
				check(fmt.Errorf("only %d messages", n))
			}
		},
		func() { mustRead(bare.read(ctx, g.Session)) })
	row(e.name()+": restore 10,000 events to a conversation", "ms", a, b, "3")
}

func mustRead(n int, err error) {
	check(err)
	if n == 0 {
		check(fmt.Errorf("nothing was read"))
	}
}

// preImages keeps what a file of 100 KB held before each of 100 small edits.
func preImages(ctx context.Context, e engine) {
	s, err := e.open(ctx, "edits")
	check(err)
	defer s.Close()
	g, release := begin(ctx, s, "/src")
	defer release()
	before, _ := e.size(ctx, "edits")
	words := newRand()
	file := []byte(prose(words, 11_000))
	like := ""
	for i := range 100 {
		seq := ikigai.Seq(i + 2)
		b := blobOf(file, like)
		ev := place(ikigai.NewEvent(ikigai.KindChange, "/src/f", ikigai.ChangeData{Path: "/src/f", Existed: true, Blob: b.Hash}), g.Session, seq)
		ev.Blobs = []ikigai.Blob{b}
		check(s.Append(ctx, g, seq-1, ev))
		like = b.Hash
		at := words.IntN(len(file))
		file = bytes.Join([][]byte{file[:at], []byte("an edit " + strconv.Itoa(i)), file[at:]}, nil)
	}
	after, _ := e.size(ctx, "edits")
	single(e.name()+": pre-images of 100 small edits of a 100 KB file", "MB", float64(after-before)/1e6, "2")
}

// progress tells of long work, since there is some.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
