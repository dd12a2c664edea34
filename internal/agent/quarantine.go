package agent

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"ikigai"
)

// maxQuarantined is how many times in a statement something is left out of what
// is sent.
const maxQuarantined = 4

// quarantine returns the event that leaves out the message which the vendor
// refuses, if that is why the request has failed.
func (a *Agent) quarantine(asked *asking, r *reply, err error) (ikigai.Event, bool) {
	var e *ikigai.Error
	if !errors.As(err, &e) || !refuses(e) || asked.quarantined == maxQuarantined || !r.unseen() {
		return ikigai.Event{}, false
	}
	asked.quarantined++
	return a.History.Quarantine(e, r.model)
}

// quarantineStatement leaves a statement that has failed as err tells out of the
// next one, if a content filter refuses it: the filter would refuse that, too,
// however it is put.
func (a *Agent) quarantineStatement(r *reply, err error) {
	var e *ikigai.Error
	if !errors.As(err, &e) || e.Kind != ikigai.ErrorContentFilter || e.Message > 0 || r.begun() {
		return
	}
	if event, ok := a.History.QuarantineStatement(r.model, e.What); ok {
		a.Recorder.Queue(event)
	}
}

// refuses reports whether a vendor refuses a part of the conversation that would
// be refused with every statement to come: a message that it names, state of its
// own, an image or a document that it speaks of, or something that its content
// filter does not let pass.
func refuses(e *ikigai.Error) bool {
	switch e.Kind {
	case ikigai.ErrorBadRequest:
		return e.Message > 0 || e.StaleState || e.Tool == "" && speaksOfMedia(e.Error()) // a tool may be called read-page
	case ikigai.ErrorTooLarge:
		return e.Message > 0
	case ikigai.ErrorContentFilter:
		return true
	}
	return false
}

// speaksOfMedia reports whether a word of s stands for an image or a document. A
// name such as file_read is another word.
func speaksOfMedia(s string) bool {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool {
		switch strings.TrimSuffix(word, "s") {
		case "image", "picture", "document", "pdf", "file", "page":
			return true
		}
		return false
	})
}
