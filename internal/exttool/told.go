package exttool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ikigai/internal/wholefile"
)

// toldFile is the file in the directory for the cache that has the problems of
// which the person knows.
func toldFile(dir string) string { return filepath.Join(dir, "tools-told.json") }

// News returns the problems that were not returned before, by this process or
// an earlier one. One that went away and comes back is new. Where nothing can be
// remembered all are, always.
func (s *Set) News() []Problem {
	problems := s.Problems()
	before := readTold(s.cfg.Cache)
	news := slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return slices.Contains(before, p) })
	now := slices.Clone(problems)
	for _, p := range before {
		if _, err := os.Lstat(p.Path); err == nil && !s.looksAt(p.Path) {
			now = append(now, p)
		}
	}
	if s.cfg.Cache != "" && !slices.Equal(before, now) {
		_ = wholefile.Replace(toldFile(s.cfg.Cache), encode(now)) // they are told again
	}
	return news
}

// looksAt reports whether a path is in one of the directories of the set, or is
// one.
func (s *Set) looksAt(path string) bool {
	return slices.ContainsFunc(s.cfg.Dirs, func(d Dir) bool {
		return path == d.shown() || strings.HasPrefix(path, d.shown()+string(filepath.Separator))
	})
}

func readTold(dir string) []Problem {
	if dir == "" {
		return nil
	}
	raw, err := os.ReadFile(toldFile(dir))
	var told []Problem
	if err != nil || json.Unmarshal(raw, &told) != nil {
		return nil
	}
	return told
}
