package config

import (
	"cmp"
	"maps"
	"slices"

	"ikigai/internal/catalog"
)

// AllKnown returns all models of which something is known, by name: those of the
// catalog and those that the person has set.
func (s *Settings) AllKnown() []catalog.Model {
	names := map[string]bool{}
	for _, m := range catalog.All() {
		names[m.Name] = true
	}
	for name := range s.models {
		names[name] = true
	}
	var all []catalog.Model
	for name := range maps.Keys(names) {
		m, _ := s.Known(name)
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b catalog.Model) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
