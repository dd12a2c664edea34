package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ikigai/internal/crash"
	"ikigai/internal/fuzzy"
)

// plainPage is how many items of a list are printed together.
const plainPage = 20

// mostFound is how many are found for words, at most.
const mostFound = 500

// plainPick is a Pick in lines: a numbered list, of which a number picks and words
// narrow it.
type plainPick struct {
	pick   Pick
	ctx    context.Context
	stop   context.CancelFunc
	picked chan int
	found  []int // items, the best first
	shown  int   // how many of them were printed
	words  string
}

// pickInLines is Pick for a plain Front.
func (f *Front) pickInLines(ctx context.Context, p Pick) int {
	d := &plainPick{pick: p, picked: make(chan int, 1)}
	d.ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	plain := f.loop.plain
	if !f.box.post(func(l *loop) { plain.begins(l, d) }) {
		return -1
	}
	select {
	case i := <-d.picked:
		return i
	case <-ctx.Done():
		f.box.post(func(l *loop) { plain.ends(l, d) })
	case <-f.loop.gone:
	}
	return -1
}

func (d *plainPick) begin(l *loop) {
	d.found = make([]int, len(d.pick.Items))
	for i := range d.found {
		d.found[i] = i
	}
	l.print(fmt.Sprintf("%s (%d)", safe(d.pick.Title), len(d.found)))
	d.more(l)
}

func (d *plainPick) prompt() string { return "pick: " }

// more prints the next page of what was found.
func (d *plainPick) more(l *loop) {
	var b strings.Builder
	to := min(d.shown+plainPage, len(d.found))
	for i, item := range d.found[d.shown:to] {
		it := d.pick.Items[item]
		line := fmt.Sprintf("%d: %s", d.shown+i+1, safe(it.Label))
		if it.About != "" {
			line += ", " + safe(it.About)
		}
		if d.words == "" && item == d.pick.At {
			line += " (now)"
		}
		b.WriteString(l.live.Style.Wrap(strings.ReplaceAll(line, " · ", " - "), "   ") + "\n")
	}
	d.shown = to
	b.WriteString("A number picks, words narrow the list")
	if d.pick.Preview != nil {
		b.WriteString(", a number behind ? shows what it is")
	}
	if left := len(d.found) - to; left > 0 {
		fmt.Fprintf(&b, ", an empty line shows more (%d are left)", left)
	} else if d.words != "" {
		b.WriteString(", an empty line shows all again")
	}
	b.WriteString(". Ctrl-D leaves.\n")
	l.print(l.live.Style.Wrap(b.String(), ""))
}

func (d *plainPick) line(l *loop, text string) (done bool) {
	number, numbered := strings.CutPrefix(text, "?")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	switch {
	case text == "" && d.shown < len(d.found):
		d.more(l)
	case text == "":
		d.narrow(l, "")
	case err != nil:
		d.narrow(l, text)
	case n < 1 || n > len(d.found):
		l.print(fmt.Sprintf("There is no %d in the list.", n))
	case numbered:
		d.preview(l, d.found[n-1])
	default:
		d.picked <- d.found[n-1]
		return true
	}
	return false
}

// narrow has the items be found that words mean, beside the Front's goroutine.
func (d *plainPick) narrow(l *loop, words string) {
	d.words = words
	box := l.box
	go func() {
		defer crash.Guard()
		items := d.search(words)
		box.post(func(l *loop) {
			if d.ctx.Err() != nil || d.words != words {
				return
			}
			d.found, d.shown = items, 0
			l.print(fmt.Sprintf("%d found.", len(items)))
			d.more(l)
		})
	}()
}

func (d *plainPick) search(words string) []int {
	if d.pick.Search != nil {
		return d.pick.Search(d.ctx, words)
	}
	texts := make([]string, len(d.pick.Items))
	for i, it := range d.pick.Items {
		texts[i] = it.Label + " " + it.About
	}
	return fuzzy.Rank(words, texts, mostFound)
}

// preview prints what an item is.
func (d *plainPick) preview(l *loop, item int) {
	if d.pick.Preview == nil {
		return
	}
	box := l.box
	go func() {
		defer crash.Guard()
		text := d.pick.Preview(item, 80)
		box.post(func(l *loop) {
			if d.ctx.Err() == nil {
				l.print(text)
			}
		})
	}()
}

func (d *plainPick) leave(*loop) { d.picked <- -1 }
