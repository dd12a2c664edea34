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
	return a.History.Quarantine(e.Message, r.model, e.What)
}

// refuses reports whether a vendor refuses a part of the conversation: a message
// that it names, or an image or a document that it speaks of and that would be
// refused with every statement to come.
func refuses(e *ikigai.Error) bool {
	switch e.Kind {
	case ikigai.ErrorBadRequest:
		return e.Message > 0 || speaksOfMedia(e.Error())
	case ikigai.ErrorTooLarge, ikigai.ErrorContentFilter:
		return e.Message > 0
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
