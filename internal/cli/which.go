package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/journal"
)

// which says which session to work in: a new one, the last one of this
// directory, or one by ID; and whether to go on in a copy of it.
type which struct {
	last bool
	id   string // or a prefix of it
	fork bool   // in a fork of it
	at   string // the place to fork from, as a person writes it; "" is the end

	aside bool // nothing is to be said in its main conversation
}

func (w which) isNew() bool { return !w.last && w.id == "" }

// asidePatience is how long a side conversation alone waits for a session, which it can
// do without.
const asidePatience = 100 * time.Millisecond

// patience is how long the session is waited for while it is open elsewhere.
func (w which) patience() time.Duration {
	if w.aside {
		return asidePatience
	}
	return acquireTime
}

// named returns which session an argument names; without one it is the last of
// this directory.
func named(args []string) which {
	if len(args) == 0 {
		return which{last: true}
	}
	return which{id: args[0]}
}

// find returns the session that w names.
func (a *app) find(ctx context.Context, store ikigai.Store, w which) (ikigai.SessionInfo, error) {
	var none ikigai.SessionInfo
	q := ikigai.SessionQuery{Dir: a.dir, Limit: maxBeside}
	if w.id != "" {
		q = ikigai.SessionQuery{Prefix: strings.ToLower(w.id), Limit: 5}
	}
	found, err := collect(store.Sessions(ctx, q))
	switch {
	case err != nil && !(journal.IsAway(err) && len(found) > 0): // one that is here will do
		return none, err
	case len(found) > 0 && w.id == "":
		return found[lastUsed(ctx, store, found)], nil
	case len(found) == 1, len(found) > 1 && found[0].ID == ikigai.ID(w.id):
		return found[0], nil
	case len(found) > 1:
		var all []string
		for _, s := range found {
			all = append(all, fmt.Sprintf("%s (%s)", s.ID, s.Title))
		}
		return none, usage("More than one session begins with "+w.id+": "+strings.Join(all, ", "), "Give more of its ID")
	case w.id != "":
		return none, usage("There is no session "+w.id, "See `ikigai sessions --all` for those there are")
	}
	return none, usage("There is no session in "+a.dir+" yet", "Begin one with `ikigai run PROMPT`, or see `ikigai sessions --all`")
}

// maxBeside is the most sessions that are looked through for one that is more than
// conversations about commits.
const maxBeside = 50

// lastUsed returns which of sessions, the last changed first, is the one to go on with:
// the first one that is more than conversations about commits, which were kept apart
// because that one was open elsewhere.
func lastUsed(ctx context.Context, store ikigai.Store, sessions []ikigai.SessionInfo) int {
	return max(0, slices.IndexFunc(sessions, func(s ikigai.SessionInfo) bool { return !onlyCommits(ctx, store, s) }))
}

// onlyCommits reports whether a session holds nothing but conversations about commits.
// One that cannot be read is none.
func onlyCommits(ctx context.Context, store ikigai.Store, s ikigai.SessionInfo) bool {
	if s.Statements > 0 || s.Parent != "" {
		return false // most are told by that
	}
	commits := false
	for e, err := range store.Events(ctx, s.ID, 0) {
		if err != nil {
			return false
		}
		if e.Kind == ikigai.KindInteraction {
			var d ikigai.InteractionData
			if e.DecodeData(&d) != nil || d.Purpose != ikigai.PurposeCommit {
				return false
			}
			commits = true
		}
		if e.Interaction == ikigai.Main && e.Kind.Conversation() && e.Kind != ikigai.KindSystem {
			return false // another program speaks with it, as in mcp serve
		}
	}
	return commits
}

// openToRead loads the settings, opens the database, which must be there, brings
// in what waits for it, and finds the session that w names. Where it cannot be
// opened, the session is one that the journals hold whole. The caller closes the
// store.
func (a *app) openToRead(ctx context.Context, w which) (ikigai.Store, ikigai.SessionInfo, error) {
	var none ikigai.SessionInfo
	if err := a.loadToRead(); err != nil {
		return nil, none, err
	}
	store, err := a.storeToRead(ctx)
	if err != nil {
		store = a.noStore(err)
	}
	a.deliverNow(ctx, store, a.notice)
	found, err := a.find(ctx, store, w)
	if err != nil {
		return nil, none, errors.Join(err, store.Close())
	}
	return store, found, nil
}

// goTo makes the directory of a session that exists the working directory: its
// system prompt speaks of it, and relative paths start there.
func (a *app) goTo(s ikigai.SessionInfo) error {
	if s.Dir == a.dir {
		return nil
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return usage("The directory of the session, "+s.Dir+", is not there any more", "Begin a new session")
	}
	a.notice("The session lives in " + s.Dir + ". Its tools run there.")
	a.dir = s.Dir
	return nil
}

// busy tells who wants to open a session that is open elsewhere what can be
// done instead. Other errors it returns as they are.
func busy(id ikigai.ID, err error) error {
	if !errors.Is(err, ikigai.ErrBusy) {
		return err
	}
	return &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
		What: openElsewhere(id, err),
		Do: fmt.Sprintf("Watch it with `ikigai log --follow %s`, go on in a copy of it with `ikigai run --resume %s --fork PROMPT`, "+
			"or wait until it ends", id, id)}
}

// openElsewhere says that a session is open, and in which process, as far as
// the store tells: its error has that behind the one of the contract.
func openElsewhere(id ikigai.ID, err error) string {
	_, who, _ := strings.Cut(err.Error(), ikigai.ErrBusy.Error())
	who, _, _ = strings.Cut(who, "\n")
	return fmt.Sprintf("The session %s is open elsewhere%s", id, strings.TrimRight(who, "."))
}
