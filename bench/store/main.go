// Command store measures the stores of events against bare SQL on the same
// kind of file or server, in one run on one machine, and prints the ratios.
// Times are medians; machines are noisy, ratios less so.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ikigai"
)

var (
	runs   = flag.Int("n", 5, "runs of each measurement")
	events = flag.Int("events", 1_000_000, "events of the large store, 100 to a session")
	only   = flag.String("only", "", "measure only the engine that has this in its name: sqlite, postgres")
	worker = flag.String("worker", "", "what a writer of its own writes to; for the program's own use")
)

// engine is a store and bare SQL of the same kind.
type engine interface {
	name() string
	// open opens the store called place, the same one for the same name.
	open(ctx context.Context, place string) (ikigai.Store, error)
	// bare opens a table of events, and nothing else, called place.
	bare(ctx context.Context, place string) (bareTable, error)
	// index opens the search index of the store called place. The function reads
	// the newest 50 events that have a word.
	index(ctx context.Context, place string) (search func(word string) (int, error), end func())
	// size returns the bytes of the store called place and, of these, those of
	// its search index.
	size(ctx context.Context, place string) (all, index int64)
	// where says to another program where the stores are.
	where() string
	close()
}

// bareTable is the floor: prepared statements on one table of events.
type bareTable interface {
	insert(ctx context.Context, e ikigai.Event) error
	read(ctx context.Context, session ikigai.ID) (int, error)
	close()
}

func main() {
	flag.Parse()
	ctx := context.Background()
	if *worker != "" {
		work(ctx, *worker)
		return
	}
	dir, err := os.MkdirTemp("", "ikigai-store-")
	check(err)
	defer os.RemoveAll(dir)
	fmt.Printf("%-58s %10s %10s %8s %8s\n", "work", "ikigai", "bare", "ratio", "target")
	for _, start := range []func() engine{func() engine { return newSQLite(filepath.Join(dir, "sqlite")) }, newPostgres} {
		e := start()
		if strings.Contains(strings.ToLower(e.name()), *only) {
			measure(ctx, e)
		}
		e.close()
	}
}

func measure(ctx context.Context, e engine) {
	appends(ctx, e)
	writers(ctx, e)
	restore(ctx, e)
	preImages(ctx, e)
	large(ctx, e)
}

func row(name, unit string, a, b float64, target string) {
	fmt.Printf("%-58s %7.2f %-2s %7.2f %-2s %8.2f %8s\n", name, a, unit, b, unit, a/b, target)
}

func single(name, unit string, a float64, target string) {
	fmt.Printf("%-58s %7.2f %-2s %10s %8s %8s\n", name, a, unit, "", "", target)
}

// pairs runs two works in turn and returns the median time of each in
// milliseconds.
func pairs(a, b func()) (float64, float64) {
	var as, bs []float64
	for range *runs {
		as, bs = append(as, timed(a)), append(bs, timed(b))
	}
	return median(as), median(bs)
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start)) / float64(time.Millisecond)
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
