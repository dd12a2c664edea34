package cli

import (
	"errors"

	"ikigai"
)

// Exit codes.
const (
	exitAnswered    = 0
	exitInternal    = 1
	exitUsage       = 2 // also no key and no model
	exitLimit       = 3 // turn limit reached, even when answered after it
	exitDenied      = 4
	exitVendor      = 5
	exitContext     = 6
	exitStore       = 7
	exitDiffers     = 8 // of replay
	exitInterrupted = 130
)

// quietError ends the program with a code. The person has been told why.
type quietError struct{ code int }

func (e *quietError) Error() string { return "" }

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	var quiet *quietError
	var e *ikigai.Error
	switch {
	case err == nil:
		return exitAnswered
	case errors.As(err, &quiet):
		return quiet.code
	case errors.As(err, &e):
		return exitOf(e.Kind)
	}
	return exitInternal
}

func exitOf(kind ikigai.ErrorKind) int {
	switch kind {
	case ikigai.ErrorUsage:
		return exitUsage
	case ikigai.ErrorDenied:
		return exitDenied
	case ikigai.ErrorContext:
		return exitContext
	case ikigai.ErrorStore:
		return exitStore
	case ikigai.ErrorCancelled:
		return exitInterrupted
	case ikigai.ErrorInternal:
		return exitInternal
	}
	return exitVendor
}
