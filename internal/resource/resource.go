// Package resource names what tools read and change, so that a file or a page
// has one name in the log, whoever tells of it.
package resource

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
)

// Most is how many resources a result names. The first ones are kept; those
// beyond are counted nowhere.
const Most = 100

// longest is the most bytes of a name.
const longest = 4 << 10

// Name returns the name of what a tool calls uri: an absolute path for a file,
// which may be given as a file URL or relative to dir, and any other URL as it
// is. Where dir is "", what is neither a path nor an URL with an authority is
// taken for a URI, too. It is "" for what names nothing, or is too long.
func Name(uri, dir string) string {
	uri = ikigai.CleanText(uri)
	if strings.TrimSpace(uri) == "" || len(uri) > longest {
		return ""
	}
	if path := pathOf(uri); path != "" {
		return filepath.Clean(path)
	}
	switch {
	case filepath.IsAbs(uri):
		return filepath.Clean(uri)
	case dir == "" || strings.Contains(uri, "://"):
		return uri
	}
	return filepath.Join(dir, uri)
}

// pathOf returns the path of a URL of a file on this machine, "" for others.
func pathOf(uri string) string {
	const scheme = "file:"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return ""
	}
	u, err := url.Parse(uri)
	if err != nil || u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) || ikigai.CleanText(u.Path) != u.Path {
		return ""
	}
	return u.Path
}

// Add adds r to what a result names. What is named twice is one resource, and
// changed if either says so; a hash is that of what was named last.
func Add(list []ikigai.Resource, r ikigai.Resource) []ikigai.Resource {
	if r.URI == "" {
		return list
	}
	if i := slices.IndexFunc(list, func(known ikigai.Resource) bool { return known.URI == r.URI }); i >= 0 {
		r.Changed = r.Changed || list[i].Changed
		list[i] = r
		return list
	}
	if len(list) == Most {
		return list
	}
	return append(list, r)
}
