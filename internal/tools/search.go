package tools

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/match"
	"ikigai/internal/resource"
)

// found is what a file holds.
type found struct {
	entries []entry
	count   int // of the matching lines
}

// search searches files in parallel.
type search struct {
	pattern *match.Pattern
	context int      // lines around each match
	root    string   // the directory, or the one file, that is searched
	named   string   // how the model has named it
	files   []string // paths below root; "" for root itself
	limit   time.Duration

	mu         sync.Mutex
	next       int // the first file that no worker has taken
	kept       int // entries that are kept
	found      []found
	searched   int // files, to their end
	unreadable int
}

// run searches the files until the limit is reached. It returns at once when that
// or ctx ends: a read that hangs is left behind.
func (s *search) run(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	s.found = make([]found, len(s.files))
	var workers sync.WaitGroup
	for range min(len(s.files), runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			defer crash.Guard()
			s.work(ctx)
		})
	}
	go func() {
		defer crash.Guard()
		workers.Wait()
		cancel()
	}()
	<-ctx.Done()
}

// work searches files until none is left.
func (s *search) work(ctx context.Context) {
	r := blockReader{lines: s.context, most: longestLine, find: s.pattern.Lines(func() bool { return ctx.Err() != nil })}
	for ctx.Err() == nil {
		i, keep := s.take()
		if i < 0 {
			return
		}
		found, err := s.searchFile(ctx, &r, s.files[i], keep)
		s.put(i, found, err)
	}
}

// take returns the next file, -1 if there is none, and how many of its matches
// can be among those shown. Files are taken in order, so those that were put
// come before.
func (s *search) take() (i, keep int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == len(s.files) {
		return -1, 0
	}
	s.next++
	return s.next - 1, max(0, mostMatches-s.kept)
}

func (s *search) put(i int, f found, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found[i] = f
	s.kept += len(f.entries)
	switch {
	case err == nil:
		s.searched++
	case !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		s.unreadable++
	}
}

// result returns the entries in the order of the files, how many lines match in
// how many files, and a note on files that were not searched.
func (s *search) result() (entries []string, count, files int, note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.found {
		if f.count > 0 {
			files++
			count += f.count
		}
		for _, e := range f.entries {
			if s.context > 0 && e.apart && len(entries) > 0 {
				e.text = "--\n" + e.text
			}
			entries = append(entries, e.text)
		}
	}
	if s.unreadable > 0 {
		note = plural(s.unreadable, "file") + " could not be read."
	}
	if left := len(s.files) - s.searched - s.unreadable; left > 0 {
		note = strings.TrimSpace(fmt.Sprintf("%s The search was stopped after %v, %s of %s before the end: there may be more. Search a smaller directory, or with a glob.",
			note, s.limit, group(int64(left)), plural(len(s.files), "file")))
	}
	return entries, count, files, note
}

// resources returns the files in which something matches, the first ones.
func (s *search) resources() (all []ikigai.Resource) {
	root := s.root
	if target, err := followLinks(root); err == nil {
		root = target
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.found {
		if f.count > 0 && len(all) < resource.Most {
			all = resource.Add(all, ikigai.Resource{URI: filepath.Join(root, s.files[i])})
		}
	}
	return all
}

// searchFile searches one file and keeps its first matches. A binary file has
// none.
func (s *search) searchFile(ctx context.Context, r *blockReader, path string, keep int) (found, error) {
	src, err := openRaw(strings.TrimSuffix(s.root+"/"+path, "/"))
	if err != nil {
		return found{}, err
	}
	defer src.close()
	if err := r.reset(src); err != nil {
		return found{}, err
	}
	show := printer{context: s.context}
	var result found
	for ctx.Err() == nil {
		more, err := r.advance(ctx)
		if err != nil || !more {
			return result, err
		}
		show.begin(r.data, r.line)
		m, ok := r.match()
		for ok && m.Start < r.limit { // what lies beyond belongs to the next block
			next, another := r.match()
			if len(result.entries) < keep {
				if show.file == "" {
					show.file = display(below(s.named, path))
				}
				end := len(r.data)
				if another {
					end = next.Start
				}
				result.entries = append(result.entries, show.entry(m, end))
			}
			result.count++
			m, ok = next, another
		}
	}
	return result, ctx.Err()
}
