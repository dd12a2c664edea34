package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/dbschema"
	"ikigai/internal/journal"
)

// journalled returns the sessions that fit q of those that the journals in dirs hold
// whole, in its order. They are all that can be seen while the database is away: the
// error, a journal.AwayError, says that cause is why. Where q names a session of which
// only the end waits here, the error tells of it.
func journalled(dirs []string, q ikigai.SessionQuery, cause error) ([]ikigai.SessionInfo, error) {
	var found []ikigai.SessionInfo
	var ends []ikigai.ID
	for id := range waiting(dirs) {
		if !strings.HasPrefix(string(id), q.Prefix) {
			continue
		}
		all, _, err := journal.Whole(id, dirs...)
		if err != nil {
			ends = append(ends, id)
			continue
		}
		info := infoOf(id, all)
		var d ikigai.SessionData
		_ = all[0].DecodeData(&d)
		if info.Dir = d.Dir; fits(info, q) {
			found = append(found, info)
		}
	}
	slices.SortFunc(found, func(a, b ikigai.SessionInfo) int {
		return cmp.Or(cmp.Compare(orderOf(b, q.Order), orderOf(a, q.Order)), cmp.Compare(b.ID, a.ID))
	})
	if q.Reversed {
		slices.Reverse(found)
	}
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	if q.Prefix != "" && len(found) == 0 && len(ends) == 1 {
		cause = endWaits(ends[0], cause)
	}
	return found, &journal.AwayError{Err: cause}
}

// endWaits tells that only the end of a session is on this machine.
func endWaits(id ikigai.ID, cause error) error {
	what := &ikigai.Error{What: cause.Error()}
	errors.As(cause, &what)
	return &ikigai.Error{Kind: ikigai.ErrorStore, Err: cause,
		What: fmt.Sprintf("The session %s waits in a journal on this machine, but its beginning is in the database alone. %s", id, what.What),
		Do:   "Go on with it once the database answers"}
}

// fits reports whether a session, which is no fork, is one of those that q selects.
func fits(s ikigai.SessionInfo, q ikigai.SessionQuery) bool {
	return (q.Dir == "" || q.Dir == s.Dir) && q.Parent == "" &&
		strings.Contains(strings.ToLower(s.Title), strings.ToLower(q.Title)) &&
		s.Updated >= q.Since && (q.Until == 0 || s.Updated < q.Until)
}

// orderOf returns what a session is sorted by.
func orderOf(s ikigai.SessionInfo, by ikigai.SessionOrder) int64 {
	switch by {
	case ikigai.ByCreated:
		return int64(s.Created)
	case ikigai.ByEvents:
		return int64(s.Events)
	case ikigai.BySize:
		return s.Size
	case ikigai.ByCost:
		return s.Cost
	}
	return int64(s.Updated)
}

// infoOf returns what a list tells of a session with the events of its own, but for
// its directory.
func infoOf(id ikigai.ID, own []ikigai.Event) ikigai.SessionInfo {
	s := dbschema.Summarize(own)
	return ikigai.SessionInfo{
		ID: id, Title: s.Title, Created: own[0].Time, Updated: s.Updated, Events: own[len(own)-1].Seq,
		Statements: s.Statements, Size: s.Size, Cost: s.Cost,
	}
}
