package tools

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// file is one to be searched.
type file struct {
	full  string
	shown string
}

// found is what a file holds.
type found struct {
	entries []entry
	count   int // of the matching lines
}

// search searches files in parallel.
type search struct {
	matcher *matcher
	context int // lines around each match
	files   []file

	mu         sync.Mutex
	next       int // the first file that no worker has taken
	kept       int // entries that are kept
	found      []found
	unreadable int
}

func (s *search) run(ctx context.Context) {
	s.found = make([]found, len(s.files))
	var workers sync.WaitGroup
	for range min(len(s.files), runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			r := blockReader{lines: s.context}
			for ctx.Err() == nil {
				i, keep := s.take()
				if i < 0 {
					return
				}
				found, err := s.searchFile(ctx, &r, s.files[i], keep)
				s.put(i, found, err)
			}
		})
	}
	workers.Wait()
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
	if err != nil {
		s.unreadable++
	}
}

// result returns the entries in the order of the files, and how many lines
// match in how many files.
func (s *search) result() (entries []string, count, files int) {
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
	return entries, count, files
}

// searchFile searches one file and keeps its first matches. A binary file has
// none.
func (s *search) searchFile(ctx context.Context, r *blockReader, f file, keep int) (found, error) {
	src, err := openRaw(f.full)
	if err != nil {
		return found{}, err
	}
	defer src.close()
	r.reset(src)
	show := printer{file: f.shown, context: s.context}
	var result found
	for ctx.Err() == nil {
		more, err := r.advance()
		if err != nil || !more {
			return result, err
		}
		matches := s.matcher.lines(r.data[r.from:])
		for i := range matches {
			matches[i] = matches[i].shift(r.from)
		}
		// What lies beyond the limit belongs to the next block.
		own := slices.IndexFunc(matches, func(m match) bool { return m.start >= r.limit })
		if own < 0 {
			own = len(matches)
		}
		result.count += own
		show.begin(r.data, r.line)
		for i := range min(own, keep-len(result.entries)) {
			next := len(r.data)
			if i+1 < len(matches) {
				next = matches[i+1].start
			}
			result.entries = append(result.entries, show.entry(matches[i], next))
		}
	}
	return result, ctx.Err()
}
