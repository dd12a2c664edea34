package config

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

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

// ResolveVendor returns the endpoint of a vendor for a request that needs no
// model. The error is an *ikigai.Error, of kind usage unless ctx ended.
func (s *Settings) ResolveVendor(ctx context.Context, vendor string, keys Keys) (Endpoint, error) {
	v, known := s.Vendors[vendor]
	if !known {
		return Endpoint{}, s.CheckVendor(vendor)
	}
	address, err := s.address(vendor, v)
	if err != nil {
		return Endpoint{}, err
	}
	key, source, err := s.key(ctx, vendor, v, keys)
	if err != nil {
		return Endpoint{}, err
	}
	e := s.endpoint(vendor, "", v, address, key)
	e.KeySource = source
	return e, nil
}

// CheckVendor returns an error unless there is a vendor of that name.
func (s *Settings) CheckVendor(vendor string) error {
	if _, known := s.Vendors[vendor]; known {
		return nil
	}
	return usage("No vendor is called "+strconv.Quote(clip(vendor)), suggest(vendor, s.VendorNames())+"; others are added under vendors in "+s.UserFile)
}
