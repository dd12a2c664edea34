package exttool

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/process"
)

const (
	// patience is how long executables are waited for, all together.
	patience = time.Second
	// longest is how long one may take that nobody waits for any more.
	longest = 10 * time.Second
)

// describer asks executables what they are, several at once, and remembers what
// they say.
type describer struct {
	cfg    *Config
	life   context.Context // in which executables are asked
	slots  chan struct{}
	asking sync.WaitGroup

	mu      sync.Mutex
	cache   cache
	added   cache                    // what is not on the disk
	asked   map[string]bool          // by key: asked in this process
	running map[string]chan struct{} // by key; closed when what it says is known
}

func newDescriber(life context.Context, cfg *Config) *describer {
	return &describer{
		cfg: cfg, life: life, slots: make(chan struct{}, 2*runtime.NumCPU()), cache: readCache(cfg.Cache), added: emptyCache(),
		asked: map[string]bool{}, running: map[string]chan struct{}{},
	}
}

// identify sets the keys of files. A file is read only if it has changed.
func (d *describer) identify(files []file) (problems []Problem) {
	now := time.Now()
	for i := range files {
		f := &files[i]
		d.mu.Lock()
		k, ok := d.cache.Files[f.path]
		d.mu.Unlock()
		if ok && k.Stamp == f.stamp {
			f.key = k.Key
			continue
		}
		hash, err := hashFile(f.path)
		if err != nil {
			problems = append(problems, Problem{f.shown, "The file cannot be read: " + cause(err).Error(), "Check its owner and mode"})
			continue
		}
		f.key = protocol(f.dir) + hash
		if !f.stamp.fresh(now) {
			d.mu.Lock()
			d.cache.Files[f.path] = known{f.stamp, f.key}
			d.added.Files[f.path] = known{f.stamp, f.key}
			d.mu.Unlock()
		}
	}
	return problems
}

func protocol(dir Dir) string {
	if dir.Toolbox {
		return "toolbox:"
	}
	return "1:"
}

// describe asks those files of which nothing is known, and waits for their
// answers, for patience at most. A file that could not say what it is in
// an earlier process is asked again; only the patient wait for that.
func (d *describer) describe(ctx context.Context, files []file) {
	var waits []chan struct{}
	for _, f := range files {
		if f.key == "" {
			continue
		}
		if done := d.ask(f); done != nil {
			waits = append(waits, done)
		}
	}
	if len(waits) == 0 {
		return
	}
	wait := d.patience()
	if d.cfg.Patient {
		wait = longest + time.Second // an executable that is ended has its time, too
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for _, done := range waits {
		select {
		case <-done:
		case <-timer.C:
			d.late(files)
			return
		case <-ctx.Done():
			return
		}
	}
}

func (d *describer) patience() time.Duration { return cmp.Or(d.cfg.patience, patience) }

// ask begins to ask a file, and returns what is closed when it has answered,
// nil if there is nothing to wait for.
func (d *describer) ask(f file) chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, ok := d.cache.Said[f.key]
	if ok && before.Spec != nil || d.asked[f.key] {
		return nil
	}
	d.asked[f.key] = true
	done := make(chan struct{})
	d.running[f.key] = done
	d.asking.Go(func() {
		defer close(done)
		defer crash.Guard()
		var answer said
		select {
		case d.slots <- struct{}{}:
			answer = describeFile(d.life, d.cfg, f)
			<-d.slots
		case <-d.life.Done():
		}
		d.answered(f, answer)
	})
	if ok && !d.cfg.Patient {
		return nil
	}
	return done
}

// answered takes in what a file has said. What nobody waits for is written to
// the disk here.
func (d *describer) answered(f file, answer said) {
	d.mu.Lock()
	delete(d.running, f.key)
	if d.life.Err() != nil {
		delete(d.asked, f.key) // it was not its fault
		d.mu.Unlock()
		return
	}
	_, late := d.cache.Said[f.key]
	d.remember(f.key, answer)
	d.mu.Unlock()
	if late {
		d.save()
	}
}

// late remembers that files have not answered in time, so that nobody waits
// for them again.
func (d *describer) late(files []file) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range files {
		if _, known := d.cache.Said[f.key]; !known && d.running[f.key] != nil {
			d.remember(f.key, said{
				What: fmt.Sprintf("It has not answered %s within %s", question(f.dir), d.patience()),
				Do:   "Make it answer sooner, without network or start-up work; it is waited for in the background",
			})
		}
	}
}

func (d *describer) remember(key string, s said) {
	d.cache.Said[key], d.added.Said[key] = s, s
}

// said returns what is known of a file.
func (d *describer) said(f file) (said, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.cache.Said[f.key]
	return s, ok
}

// save writes what is new to the disk. A cache that cannot be written costs
// time at the next start and nothing else.
func (d *describer) save() {
	d.mu.Lock()
	added := cache{Files: maps.Clone(d.added.Files), Said: maps.Clone(d.added.Said)}
	d.added = emptyCache()
	d.mu.Unlock()
	if len(added.Files)+len(added.Said) > 0 {
		_ = added.write(d.cfg.Cache)
	}
}

func question(dir Dir) string {
	if dir.Toolbox {
		return toolboxDescribe
	}
	return "--schema"
}

// describeFile asks one executable what it is.
func describeFile(ctx context.Context, cfg *Config, f file) said {
	c := process.Command{
		Path: f.path, Dir: filepath.Dir(f.path), Env: cfg.Env, Timeout: longest, Limits: [2]int{maxDescription, shownStderr}, Leave: cfg.Leave,
	}
	if f.dir.Toolbox {
		c.Env = append(slices.Clip(c.Env), toolboxDescribe)
	} else {
		c.Args = []string{"--schema"}
	}
	ran, err := start(ctx, c)
	if err != nil {
		return saidOf(spec{}, fault(fmt.Sprintf("It could not be started: %v", cause(err)), "Check its first line and its mode"))
	}
	if bad := refused(ran, question(f.dir)); bad != nil {
		return saidOf(spec{}, bad)
	}
	if f.dir.Toolbox {
		return saidOf(parseToolbox(stream(ran.Output, process.Stdout)))
	}
	return saidOf(parseSpec(stream(ran.Output, process.Stdout)))
}

// refused tells why an answer to the question what a tool is cannot be read.
func refused(ran process.Result, question string) *ikigai.Error {
	switch {
	case ran.TimedOut:
		return fault(fmt.Sprintf("It has not answered %s within %s", question, longest), "Make it answer sooner, without network or start-up work")
	case ran.Exit != 0:
		why := strings.TrimRight(cutTail(excerpt(stream(ran.Output, process.Stderr), 400), 400), ".")
		return fault(fmt.Sprintf("%s ended with exit code %d: %s", question, ran.Exit, why), "Make it print what the tool is and exit with 0")
	case ran.Output.Total[process.Stdout] > maxDescription:
		return fault(question+" answered with more than 1 MiB", "Say less")
	}
	return nil
}
