package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/journal"
	"ikigai/internal/session"
)

// reading is the store as the commands of the front read it. Of the session that is
// open it knows what the program holds, so that this one can be read whatever has
// become of the database.
//
// While that does not take the session's events, lists and finds begin with those of
// the session, as it is; those of others follow, or the error that tells why they
// cannot be seen. The questions are bounded: a server may say nothing any more.
type reading struct {
	ikigai.Store
	session *session.Session
	held    *held
	dir     string // of the session

	journals []string // their directories: the sessions in them are seen, too
}

// own returns the ID of the session that is open.
func (r *reading) own() ikigai.ID { return r.session.ID() }

// Events yields the events of a session. Of the one that is open, only those that
// are not held are asked for; of another one, the journals have them where the store
// does not answer.
func (r *reading) Events(ctx context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	if id != r.own() {
		return r.others(ctx, id, after)
	}
	return func(yield func(ikigai.Event, error) bool) {
		missing := r.session.Head() // the last event that the store alone has
		held := r.held.all()
		if len(held) > 0 {
			missing = held[0].Seq - 1
		}
		if after < missing {
			for e, err := range r.Store.Events(ctx, id, after) {
				if err == nil && e.Seq > missing {
					break
				}
				if !yield(e, err) || err != nil {
					return
				}
			}
		}
		for _, e := range held {
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

// others yields the events of a session that is not the one that is open.
func (r *reading) others(ctx context.Context, id ikigai.ID, after ikigai.Seq) iter.Seq2[ikigai.Event, error] {
	return func(yield func(ikigai.Event, error) bool) {
		last := after
		for e, err := range r.Store.Events(ctx, id, after) {
			if err != nil && ctx.Err() == nil && !journal.IsAway(err) {
				r.away(err).Events(ctx, id, last)(yield)
				return
			}
			if !yield(e, err) {
				return
			}
			last = e.Seq
		}
	}
}

// away returns what there is on this machine of a store that does not answer.
func (r *reading) away(cause error) noStore {
	return noStore{r.journals, &journal.AwayError{Err: cause}}
}

// Blob returns bytes that the session holds or the store keeps, or ikigai.ErrNotFound.
// Of a session that was opened again, the store alone has those from before.
func (r *reading) Blob(ctx context.Context, hash string) (content []byte, err error) {
	if content, ok := r.held.blob(hash); ok {
		return content, nil
	}
	err = r.ask(ctx, func(ctx context.Context) (err error) {
		content, err = r.Store.Blob(ctx, hash)
		return err
	})
	if err == nil || errors.Is(err, ikigai.ErrNotFound) || ctx.Err() != nil {
		return content, err
	}
	if r.held.whole() {
		return nil, fmt.Errorf("blob %s: %w", hash, ikigai.ErrNotFound)
	}
	if away := new(ikigai.Error); errors.As(err, &away) {
		err = &ikigai.Error{Kind: away.Kind, Err: err, What: "What was kept before the session was opened here is in the database alone. " + away.What, Do: away.Do}
	}
	return nil, err
}

// Sessions yields the sessions that fit q, which may name their directory and the
// beginning of their ID.
func (r *reading) Sessions(ctx context.Context, q ikigai.SessionQuery) iter.Seq2[ikigai.SessionInfo, error] {
	return func(yield func(ikigai.SessionInfo, error) bool) {
		var found []ikigai.SessionInfo
		lacks := r.lacks()
		err := r.ask(ctx, func(ctx context.Context) (err error) {
			found, err = collect(r.Store.Sessions(ctx, q))
			return err
		})
		if err != nil && ctx.Err() == nil && !journal.IsAway(err) {
			found, err = collect(r.away(err).Sessions(ctx, q))
		}
		if lacks || err != nil {
			found = slices.DeleteFunc(found, func(s ikigai.SessionInfo) bool { return s.ID == r.own() })
			if s, any := r.info(ctx); any && strings.HasPrefix(string(s.ID), q.Prefix) && (q.Dir == "" || q.Dir == s.Dir) {
				found = slices.Insert(found, 0, s)
			}
			if q.Prefix == string(r.own()) && len(found) > 0 {
				err = nil // no other was asked for
			}
		}
		yieldAll(found, err, yield)
	}
}

// Search yields the events that fit q, which may say in which directory or session
// they are.
func (r *reading) Search(ctx context.Context, q ikigai.SearchQuery) iter.Seq2[ikigai.Hit, error] {
	return func(yield func(ikigai.Hit, error) bool) {
		var found []ikigai.Hit
		lacks := r.lacks()
		err := r.ask(ctx, func(ctx context.Context) (err error) {
			found, err = collect(r.Store.Search(ctx, q))
			return err
		})
		if lacks || err != nil {
			own := r.search(ctx, q) // of a fork, also what it shares
			found = slices.DeleteFunc(found, func(h ikigai.Hit) bool {
				return h.Event.Session == r.own() || slices.ContainsFunc(own, func(o ikigai.Hit) bool { return o.Event.ID == h.Event.ID })
			})
			found = append(own, found...)
		}
		yieldAll(found, err, yield)
	}
}

// Catchup brings the search index up to date, unless the store is away: a search
// goes without it then.
func (r *reading) Catchup(ctx context.Context, limit int) (left int64, err error) {
	if r.lacks() {
		return 0, nil
	}
	err = r.ask(ctx, func(ctx context.Context) (err error) {
		left, err = r.Store.Catchup(ctx, limit)
		return err
	})
	return left, err
}

// search returns the events of the session that fit q, the last first.
func (r *reading) search(ctx context.Context, q ikigai.SearchQuery) (hits []ikigai.Hit) {
	terms, err := dbschema.ParseWords(q.Words)
	info, any := r.info(ctx)
	if err != nil || !any || q.Session != "" && q.Session != info.ID || q.Dir != "" && q.Dir != info.Dir {
		return nil
	}
	for _, e := range slices.Backward(r.known(ctx)) {
		if q.Limit > 0 && len(hits) == q.Limit {
			break
		}
		if said := strings.Fields(dbschema.SearchText(e).Text); said != nil && haveAll(said, terms) {
			hits = append(hits, ikigai.Hit{Event: e, Dir: info.Dir, Title: info.Title})
		}
	}
	return hits
}

// haveAll reports whether all terms stand in words.
func haveAll(words []string, terms []dbschema.Term) bool {
	for _, t := range terms {
		at := 0
		for at < len(words) && !begins(words[at:], t) {
			at++
		}
		if at == len(words) {
			return false
		}
	}
	return true
}

// info returns the session that is open as it stands in a list. It is false if
// nothing is in its log.
func (r *reading) info(ctx context.Context) (info ikigai.SessionInfo, any bool) {
	all := r.known(ctx)
	shared := slices.IndexFunc(all, func(e ikigai.Event) bool { return e.Session == r.own() })
	if shared < 0 {
		return info, false
	}
	info = infoOf(r.own(), all[shared:])
	info.Dir = r.dir
	if shared > 0 {
		info.Parent, info.Base = all[shared-1].Session, all[shared-1].Seq
		info.Title = cmp.Or(info.Title, dbschema.Summarize(all[:shared]).Title)
	}
	return info, true
}

// known returns the events of the session or, where the store is needed for them
// and does not answer, those that are held.
func (r *reading) known(ctx context.Context) (all []ikigai.Event) {
	err := r.ask(ctx, func(ctx context.Context) (err error) {
		all, err = collect(r.Events(ctx, r.own(), 0))
		return err
	})
	if err != nil {
		return r.held.all()
	}
	return all
}

// lacks reports whether the store lacks events of the session. It is asked before the
// store is: that may take them while it answers.
func (r *reading) lacks() bool { return r.session.Durability() != ikigai.Stored }

// ask asks the store something, for a bounded time.
func (r *reading) ask(ctx context.Context, question func(context.Context) error) error {
	limit := openTime
	if r.lacks() {
		limit = awayTime
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := question(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
			What: fmt.Sprintf("The database does not answer within %g s", limit.Seconds()), Do: "Check that the server runs and can be reached"}
	}
	return err
}

// yieldAll yields what was found, and err last if it is one.
func yieldAll[T any](found []T, err error, yield func(T, error) bool) {
	for _, v := range found {
		if !yield(v, nil) {
			return
		}
	}
	if err != nil {
		var none T
		yield(none, err)
	}
}
