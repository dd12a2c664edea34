package tools

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"ikigai"
)

// edited returns the file at target with all edits, in memory.
func (cfg Config) edited(in fileEditInput, target string) (*editing, *ikigai.Result) {
	f, failure := openRegular(in.Path, target)
	if failure != nil {
		return nil, failure
	}
	defer f.Close()
	e := &editing{path: in.Path, of: len(in.Edits)}
	room := 0
	for _, ed := range in.Edits {
		room += 2 * len(ed.New)
	}
	if e.document, failure = readDocument(in.Path, f, room, cfg.known(target) != ""); failure != nil {
		return nil, failure
	}
	e.stale = sync.OnceValue(func() bool { return cfg.isStale(target, e.hash()) })
	for i, ed := range in.Edits {
		e.number = i + 1
		if failure := e.apply(ed); failure != nil {
			return nil, failure
		}
	}
	if e.stale() {
		e.note("The file has changed since you read it. The text to replace was still there, once.")
	}
	return e, nil
}

// editing is a file on its way through the edits of a call.
type editing struct {
	*document
	path       string
	stale      func() bool // it is not what the model knows
	number, of int         // the edit that is being applied, and how many there are

	replaced int      // places
	spots    []spot   // where the first of these are now
	diffs    []string // of each edit
	notes    []string
}

// note adds a sentence to what the model is told about the run, once.
func (e *editing) note(sentence string) {
	if sentence != "" && !slices.Contains(e.notes, sentence) {
		e.notes = append(e.notes, sentence)
	}
}

// fail returns a failure of the edit that is being applied. what goes on after
// "Edit 2 of 3: ".
func (e *editing) fail(code ikigai.ToolCode, what, do string) *ikigai.Result {
	if e.of > 1 {
		what = fmt.Sprintf("Edit %d of %d: %s", e.number, e.of, what)
	} else {
		what = strings.ToUpper(what[:1]) + what[1:]
	}
	failure := ikigai.Failure(code, what, do+"; nothing was changed")
	return &failure
}

// apply makes one edit.
func (e *editing) apply(ed edit) *ikigai.Result {
	if failure := e.refuse(ed); failure != nil {
		return failure
	}
	old, new := breaksOf(ed.Old), breaksOf(ed.New)
	if e.mark > 0 { // the byte order mark stays, whether the model saw it as text or not
		old, new = strings.TrimPrefix(old, "\uFEFF"), strings.TrimPrefix(new, "\uFEFF")
	}
	w := newRewrite(old, new)
	changed := w.changed()
	places, failure := e.find(old, ed.All)
	if failure != nil {
		return failure
	}
	if places == nil {
		var p place
		if p, changed, failure = e.findLoose(old, changed); failure != nil {
			return failure
		}
		places = slices.Values([]place{p})
	}
	encoded, failure := e.encodeLines(changed)
	if failure != nil {
		return failure
	}
	e.hash() // of what was read; from here on it changes
	e.make(e.changes(places, w, encoded))
	return nil
}

// changes returns what is to be changed in each of some places. changed are the
// lines of w that are, encoded.
func (e *editing) changes(places iter.Seq[place], w rewrite, changed [][]byte) iter.Seq[change] {
	return func(yield func(change) bool) {
		var by, near []byte
		known := -1 // near is right up to here
		for p := range places {
			if p.start > known && len(w.new) > 1 {
				near = e.breakNear(p.start)
				known, _ = e.lineEnd(p.start)
			}
			by = w.appendTo(by[:0], p, changed, near)
			if !yield(change{p.start, p.end, by}) {
				return
			}
		}
	}
}

// refuse judges an edit by itself.
func (e *editing) refuse(ed edit) *ikigai.Result {
	switch {
	case ed.Old == "":
		return e.fail(ikigai.CodeInvalidParams, "old is empty", "Send the text to be replaced; to add text, replace a line by itself and what is to come beside it")
	case ed.Old == ed.New:
		return e.fail(ikigai.CodeInvalidParams, "old and new are the same", "Send what is to come in the place of old")
	case breaksOf(ed.Old) == breaksOf(ed.New):
		return e.fail(ikigai.CodeInvalidParams, "old and new differ in their line breaks only, which stay as they are in the file", "Use bash with sed to change line breaks")
	case ed.All && e.stale():
		return e.staleFailure("replace_all may change what you have not seen")
	}
	return nil
}

// mostPlaces bounds the places that a message names.
const mostPlaces = 10

// find returns where old is: one place or, for all, every place that does not
// overlap the one before. It returns nil if old is nowhere and may be looked for
// otherwise.
func (e *editing) find(old string, all bool) (iter.Seq[place], *ikigai.Result) {
	n, ok := newNeedle(e.document, old)
	if !ok {
		return nil, nil
	}
	at := e.survey(n, all)
	switch {
	case all && at.count == 0:
		return nil, e.noMatch(old) // what is found loosely must be one place
	case all:
		return apart(n.all()), nil
	case at.count > 1:
		return nil, e.fail(codeManyMatches, fmt.Sprintf("old text is in %s %d times: %s", display(e.path), at.count, e.lineList(at.lines, at.more)),
			"Send more of the text around it, or replace_all")
	case at.overlap:
		return nil, e.fail(codeManyMatches, fmt.Sprintf("old text is in %s in places that overlap each other: %s", display(e.path), e.lineList(at.lines, at.more)),
			"Send more of the text around it")
	case at.count == 0:
		return nil, nil
	}
	return slices.Values(at.lines), nil
}

// sites are where a needle is.
type sites struct {
	count   int     // places that do not overlap the one before, as replace_all changes them
	overlap bool    // there are others
	lines   []place // the first in each line, mostPlaces of them
	more    bool    // there are other lines
}

// survey looks for all places of a needle or, if it need not be known how many
// there are, for one.
func (e *editing) survey(n needle, one bool) sites {
	var f sites
	end, next := 0, 0 // of the last place that counts; where the line after the last one named begins
	for p := range n.all() {
		if p.start < end {
			f.overlap = true
		} else {
			f.count++
			end = p.end
		}
		switch {
		case one:
			return f
		case p.start < next:
		case len(f.lines) == mostPlaces:
			f.more = true
		default:
			_, next = e.lineEnd(p.start)
			p.breaks = slices.Clone(p.breaks)
			f.lines = append(f.lines, p)
		}
	}
	return f
}

// apart leaves out places that overlap the one before.
func apart(places iter.Seq[place]) iter.Seq[place] {
	return func(yield func(place) bool) {
		end := 0
		for p := range places {
			if p.start < end {
				continue
			}
			if end = p.end; !yield(p) {
				return
			}
		}
	}
}

// lineList names the lines of places. more says that there are others.
func (e *editing) lineList(places []place, more bool) string {
	var words []string
	for _, p := range places {
		words = append(words, fmt.Sprint(e.line(p.start)))
	}
	list := "lines " + strings.Join(words, ", ")
	switch {
	case more:
		list += " and others"
	case len(words) == 1:
		list = "line " + words[0]
	}
	return list
}

// findLoose returns where old is but for blanks at the beginnings and the ends of
// lines, if it is in one place, and the changed lines with the indentation that
// they have there.
func (e *editing) findLoose(old string, changed []string) (place, []string, *ikigai.Result) {
	l, ok := newLooseNeedle(e.document, old)
	var places []place
	if ok {
		places = l.places(mostPlaces)
	}
	switch {
	case len(places) == 0:
		return place{}, nil, e.noMatch(old)
	case len(places) > 1:
		return place{}, nil, e.fail(codeManyMatches, fmt.Sprintf("old text is in %s, but with other blanks around its lines, and several times: %s", display(e.path), e.lineList(places, false)),
			"Send it with the blanks of the file and more of the text around it")
	case e.stale():
		return place{}, nil, e.staleFailure("old text is in it with other blanks only")
	}
	lines, ok := reindent(changed, indentsOf(e.document, l.old, places[0].lines))
	if !ok {
		what, do := e.nearest(old)
		return place{}, nil, e.fail(codeNoMatch, "old text is indented otherwise than in "+display(e.path)+", and how new is to be indented is not certain"+what, do)
	}
	e.note("old was found with other blanks at the beginning or the end of its lines; new was written with the indentation of the file.")
	return places[0], lines, nil
}

func (e *editing) noMatch(old string) *ikigai.Result {
	what, do := e.nearest(old)
	return e.fail(codeNoMatch, "old text not found in "+display(e.path)+e.staleWords()+what, do)
}

func (e *editing) encodeLines(lines []string) ([][]byte, *ikigai.Result) {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		raw, r, ok := e.encode(line)
		if !ok {
			return nil, e.fail(codeNotEncodable, fmt.Sprintf("file %s is in %s, which has no known way to write %q (%U)", display(e.path), e.encoding, r, r),
				"Use other characters, or convert the file to UTF-8 first with iconv")
		}
		out[i] = raw
	}
	return out, nil
}
