package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// P43: however files and links change places while they are read, nothing from
// outside of the project gets into what is judged, and what is sealed is what was
// hashed.
func TestScanWhileFilesChangePlaces(t *testing.T) {
	outside := lay(t, map[string]string{"secret": "outside", "lib/x": "outside"})
	dir := lay(t, map[string]string{
		".ikigai/tools/run*": "inside", ".ikigai/tools/lib/x": "inside", ".ikigai/tools/sub/x": "inside", "other/x*": "inside too", "spare/run": "-> " + outside + "/secret", "spare/lib": "-> " + outside + "/lib",
		"spare/x": "-> ../other/x"})
	done := make(chan struct{})
	var swapping sync.WaitGroup
	for _, pair := range [][2]string{{".ikigai/tools/run", "spare/run"}, {".ikigai/tools/lib", "spare/lib"}, {".ikigai/tools/sub/x", "spare/x"}} {
		swapping.Go(func() {
			a, b, c := filepath.Join(dir, pair[0]), filepath.Join(dir, pair[1]), filepath.Join(dir, pair[1]+".held")
			for {
				select {
				case <-done:
					return
				default: // some of these fail while the others are in the way
					_ = os.Rename(a, c)
					_ = os.Rename(b, a)
					_ = os.Rename(a, b)
					_ = os.Rename(c, a)
				}
			}
		})
	}
	into := vault(t)
	for range 300 {
		p, err := Scan(dir, "", Texts{})
		must(t, err)
		for _, e := range p.entries {
			if bytes.Contains(e.data, []byte("outside")) && e.kind != link {
				t.Fatalf("%s holds %q", e.path, e.data)
			}
		}
		if p.Problem != "" || len(p.entries) == 0 {
			continue
		}
		s, err := p.Seal(into)
		must(t, err)
		if !holds(filepath.Dir(filepath.Dir(s.Dir)), hashOf("tools", p.tools())) {
			t.Error("what was sealed is not what was hashed")
		}
		must(t, s.Close())
	}
	close(done)
	swapping.Wait()
}

// Many processes seal, use and clean up the same copies at once.
func TestSealAtOnce(t *testing.T) {
	p, into := scan(t, lay(t, toolFiles)), vault(t)
	want := held(t, seal(t, p, vault(t)).Dir)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			s, err := p.Seal(into)
			if err != nil {
				t.Error(err)
				return
			}
			if diff := cmp.Diff(want, held(t, s.Dir)); diff != "" {
				t.Error(diff)
			}
			removeUnused(filepath.Dir(filepath.Dir(s.Dir))) // it is used, by us
			if _, err := os.Stat(s.Dir); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if entries, err := os.ReadDir(into); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
}
