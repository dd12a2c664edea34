package tui

import (
	"context"

	"ikigai/internal/crash"
	"ikigai/internal/tui/overlay"
)

// picking is a list that the person picks from. What is searched and previewed
// comes from beside the Front's goroutine, one thing of each at a time.
type picking struct {
	*overlay.Picker
	pick       Pick
	ctx        context.Context
	found      string             // what was searched for last
	searched   string             // what is being searched for
	stop       context.CancelFunc // ends that; nil if nothing is
	previewing bool
}

func newPicking(ctx context.Context, look overlay.Look, p Pick) *picking {
	items := make([]overlay.Item, len(p.Items))
	for i, item := range p.Items {
		items[i] = overlay.Item{Label: safe(item.Label), About: safe(item.About)}
	}
	return &picking{pick: p, ctx: ctx, Picker: overlay.NewPicker(overlay.PickerConfig{
		Look: look, Title: safe(p.Title), Items: items, At: p.At, Outside: p.Search != nil, Preview: p.Preview != nil,
	})}
}

// shown looks for what the list lacks, once it is on the screen.
func (p *picking) shown(l *loop) {
	if p.pick.Search != nil {
		p.search(l)
	}
	if p.pick.Preview != nil {
		p.preview(l)
	}
}

// search has what was typed be searched for.
func (p *picking) search(l *loop) {
	typed := p.Typed()
	switch {
	case p.stop != nil && typed != p.searched:
		p.stop()
		return
	case p.stop != nil, typed == p.found:
		return
	}
	ctx, stop := context.WithCancel(p.ctx)
	p.searched, p.stop = typed, stop
	go func() {
		defer crash.Guard()
		items := p.pick.Search(ctx, typed)
		l.box.post(func(*loop) {
			if ctx.Err() == nil {
				p.found = typed
				p.Found(typed, items)
			}
			stop()
			p.stop = nil
		})
	}()
}

// preview has the preview be made that the list lacks.
func (p *picking) preview(l *loop) {
	item, width, _, ok := p.WantsPreview()
	if !ok || p.previewing {
		return
	}
	p.previewing = true
	go func() {
		defer crash.Guard()
		text := p.pick.Preview(item, width)
		l.box.post(func(*loop) {
			p.previewing = false
			p.SetPreview(item, width, text)
		})
	}()
}
