package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"

	"ikigai"
	"ikigai/internal/blob"
)

const eventsOfSession = 100

// rare is a word that few events hold, common one that many do.
const (
	common = "word3"
	rare   = "word20000"
)

// large measures what must not depend on how much a store holds.
func large(ctx context.Context, e engine) {
	s, err := e.open(ctx, "large")
	check(err)
	progress("%s: storing %d events", e.name(), *events)
	newest := fill(ctx, s, *events/eventsOfSession)
	check(s.Close())
	openNewest(ctx, e, newest)
	s, err = e.open(ctx, "large")
	check(err)
	storeSize(ctx, e, s)
	progress("%s: indexing", e.name())
	took := timed(func() { catchUp(ctx, s) })
	single(fmt.Sprintf("%s: indexing of %d events", e.name(), *events), "s", took/1000, "-")
	_, index := e.size(ctx, "large")
	single(e.name()+": the search index", "MB", float64(index)/1e6, "-")
	search(ctx, e, s)
	check(s.Close())
	taking(ctx, e)
}

// fill stores sessions, each in one append, and returns the last one.
func fill(ctx context.Context, s ikigai.Store, sessions int) ikigai.ID {
	words := newRand()
	var last ikigai.ID
	for i := range sessions {
		g, release, err := s.Acquire(ctx, newID())
		check(err)
		dir := fmt.Sprintf("/src/%d", i%100)
		check(s.Append(ctx, g, 0, conversation(g.Session, dir, eventsOfSession, words)...))
		check(release())
		last = g.Session
	}
	return last
}

// openNewest compares finding and reading the newest session of many with the
// same in a store that holds that one alone.
func openNewest(ctx context.Context, e engine, newest ikigai.ID) {
	many, err := e.open(ctx, "large")
	check(err)
	one, err := e.open(ctx, "one")
	check(err)
	g, release, err := one.Acquire(ctx, newest)
	check(err)
	var all []ikigai.Event
	for ev, err := range many.Events(ctx, newest, 0) {
		check(err)
		all = append(all, ev)
	}
	check(one.Append(ctx, g, 0, all...))
	check(errors.Join(release(), one.Close(), many.Close()))
	find := func(place string) func() {
		return func() {
			s, err := e.open(ctx, place)
			check(err)
			defer s.Close()
			for info, err := range s.Sessions(ctx, ikigai.SessionQuery{Dir: all[0].Content, Limit: 1}) {
				check(err)
				_, release, err := s.Acquire(ctx, info.ID)
				check(err)
				n := 0
				for _, err := range s.Events(ctx, info.ID, 0) {
					check(err)
					n++
				}
				check(release())
				mustRead(n, nil)
			}
		}
	}
	a, b := pairs(find("large"), find("one"))
	row(fmt.Sprintf("%s: open the newest of %d sessions; bare: of one", e.name(), *events/eventsOfSession), "ms", a, b, "1.3")
}

// storeSize compares the store with the JSONL of what it holds.
func storeSize(ctx context.Context, e engine, s ikigai.Store) {
	all, index := e.size(ctx, "large")
	n := new(counter)
	check(writeArchive(ctx, n, s))
	row(e.name()+": store without search index; bare: its JSONL", "MB", float64(all-index)/1e6, float64(*n)/1e6, "1.3")
}

func catchUp(ctx context.Context, s ikigai.Store) {
	for {
		left, err := s.Catchup(ctx, 5000)
		check(err)
		if left == 0 {
			return
		}
	}
}

// search compares the newest 50 hits with the bare query of the same index.
func search(ctx context.Context, e engine, s ikigai.Store) {
	bare, end := e.index(ctx, "large")
	defer end()
	for _, word := range []string{common, rare} {
		a, b := pairs(
			func() {
				n := 0
				for _, err := range s.Search(ctx, ikigai.SearchQuery{Words: word, Limit: 50}) {
					check(err)
					n++
				}
				mustRead(n, nil)
			},
			func() { mustRead(bare(word)) })
		row(e.name()+": search for "+word+", newest 50", "ms", a, b, "2")
	}
}

// taking shows that export and copy need the same memory for much as for
// little: the peak of a program of its own.
func taking(ctx context.Context, e engine) {
	small, err := e.open(ctx, "small")
	check(err)
	fill(ctx, small, *events/eventsOfSession/10)
	check(small.Close())
	for _, what := range []string{"export", "copy"} {
		progress("%s: %s", e.name(), what)
		a, b := peak(e, what, "large"), peak(e, what, "small")
		row(e.name()+": memory of "+what+"; bare: of a tenth", "MB", a, b, "1.1")
	}
}

// peak returns the peak memory of a program that exports or copies a store.
func peak(e engine, what, place string) float64 {
	cmd := exec.Command(os.Args[0], "-worker", what+" "+e.name()+" "+place)
	cmd.Env = append(os.Environ(), workerEnv(e)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	check(err)
	kib, err := strconv.Atoi(string(bytes.TrimSpace(out)))
	check(err)
	return float64(kib) / 1024
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

var _ io.Writer = (*counter)(nil)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func blobOf(b []byte, like string) ikigai.Blob {
	return ikigai.Blob{Hash: blob.Hash(b), Bytes: b, Like: like}
}
