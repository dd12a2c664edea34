package archive

import (
	"context"
	"fmt"
	"iter"

	"ikigai"
)

// item is a session that is to be taken out: as a whole, or its own events up
// to upTo.
type item struct {
	ikigai.SessionInfo
	upTo  ikigai.Seq
	whole bool
}

// plan returns the sessions with these IDs, or all if there are none, with the
// sessions whose events they share, parents before forks.
func plan(ctx context.Context, from Source, ids []ikigai.ID) ([]item, error) {
	p := planner{ctx: ctx, from: from, known: map[ikigai.ID]*item{}}
	if len(ids) == 0 {
		for info, err := range from.Sessions(ctx, ikigai.SessionQuery{Order: ikigai.ByCreated, Reversed: true}) {
			if err != nil {
				return nil, err
			}
			p.known[info.ID] = &item{SessionInfo: info}
			ids = append(ids, info.ID)
		}
	}
	for _, id := range ids {
		if err := p.want(id); err != nil {
			return nil, err
		}
	}
	return p.ordered(), nil
}

type planner struct {
	ctx   context.Context
	from  Source
	known map[ikigai.ID]*item
	asked []*item
}

// want adds a session as a whole and, of those whose events it shares, the
// events that it shares.
func (p *planner) want(id ikigai.ID) error {
	it, err := p.find(id)
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	it.whole, it.upTo = true, it.Events
	p.asked = append(p.asked, it)
	for it.Parent != "" {
		parent, err := p.find(it.Parent)
		if err != nil {
			return fmt.Errorf("session %s, whose events session %s shares: %w", it.Parent, it.ID, err)
		}
		if parent.Parent != "" && it.Base <= parent.Base {
			it.Parent = parent.Parent // the owner of the last shared event stands further up
			continue
		}
		parent.upTo = max(parent.upTo, it.Base)
		p.asked = append(p.asked, parent)
		it = parent
	}
	return nil
}

func (p *planner) find(id ikigai.ID) (*item, error) {
	if it := p.known[id]; it != nil {
		return it, nil
	}
	info, err := find(p.ctx, p.from, id)
	if err != nil {
		return nil, err
	}
	it := &item{SessionInfo: info}
	p.known[id] = it
	return it, nil
}

// ordered returns the wanted sessions, each once, parents first.
func (p *planner) ordered() []item {
	var list []item
	done := map[ikigai.ID]bool{}
	var add func(it *item)
	add = func(it *item) {
		if done[it.ID] {
			return
		}
		done[it.ID] = true
		if it.Parent != "" {
			add(p.known[it.Parent])
		}
		list = append(list, *it)
	}
	for _, it := range p.asked {
		add(it)
	}
	return list
}

// lister is a catalog as far as find needs it.
type lister interface {
	Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error]
}

// find returns what a catalog says of a session, or ErrNotFound.
func find(ctx context.Context, in lister, id ikigai.ID) (ikigai.SessionInfo, error) {
	for info, err := range in.Sessions(ctx, ikigai.SessionQuery{Prefix: string(id)}) {
		if err != nil || info.ID == id {
			return info, err
		}
	}
	return ikigai.SessionInfo{}, ikigai.ErrNotFound
}
