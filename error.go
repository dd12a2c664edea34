package ikigai

import (
	"errors"
	"time"
)

// ErrorKind tells errors apart by what can be done about them.
type ErrorKind string

const (
	ErrorUsage         ErrorKind = "usage"          // the command line or a setting is wrong
	ErrorAuth          ErrorKind = "auth"           // no key, or one that is refused
	ErrorPermission    ErrorKind = "permission"     // a key that may not do this
	ErrorModel         ErrorKind = "model"          // no such model
	ErrorContext       ErrorKind = "context"        // the conversation does not fit the model
	ErrorTooLarge      ErrorKind = "too_large"      // the request is larger than the vendor takes
	ErrorRateLimit     ErrorKind = "rate_limit"     // too many requests; later it works
	ErrorQuota         ErrorKind = "quota"          // nothing left to spend
	ErrorOverloaded    ErrorKind = "overloaded"     // the vendor has no capacity now
	ErrorServer        ErrorKind = "server"         // the vendor broke
	ErrorTimeout       ErrorKind = "timeout"        // no answer in time
	ErrorNetwork       ErrorKind = "network"        // no connection
	ErrorIncomplete    ErrorKind = "incomplete"     // the reply ended before its end
	ErrorContentFilter ErrorKind = "content_filter" // the vendor refuses the content
	ErrorBadRequest    ErrorKind = "bad_request"    // the vendor refuses the form of the request
	ErrorStore         ErrorKind = "store"          // the events cannot be kept
	ErrorDenied        ErrorKind = "denied"         // something was not allowed
	ErrorCancelled     ErrorKind = "cancelled"      // the person stopped it
	ErrorInternal      ErrorKind = "internal"       // a fault of this program
)

// Error is an error as a person, or a model, is told of it.
type Error struct {
	Kind ErrorKind
	What string // what failed: a sentence without its full stop
	Do   string // what to do: a sentence without its full stop

	Status     int           // HTTP status where there was one
	Message    int           // number, from 1, of the message of the Request that a vendor refuses; 0 if it names none
	StaleState bool          // the vendor refuses VendorState of its own, as after a change of the key
	Tool       string        // whose schema the vendor refuses, "" if it names none
	RetryAfter time.Duration // how long the vendor asks to wait; 0 if it does not say
	Err        error         // the cause, if any; not part of the text
}

// Error returns both sentences.
func (e *Error) Error() string {
	if e.Do == "" {
		return e.What + "."
	}
	return e.What + ". " + e.Do + "."
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the first *Error that err wraps, and ErrorInternal
// if it wraps none.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ErrorInternal
}
