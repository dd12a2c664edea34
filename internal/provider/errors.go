package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ikigai"
)

// permanent marks a cause that sending again cannot remove.
type permanent struct{ error }

// Unwrap returns the cause.
func (p permanent) Unwrap() error { return p.error }

// refusal returns the error that a vendor's answer with another status than
// 200 tells of. at is where the request went.
func (c Config) refusal(at *url.URL, status int, header http.Header, body []byte) *ikigai.Error {
	f := parseFault(body)
	f.readWord(before(header.Get("X-Amzn-Errortype"), ":"))
	e := c.fault(f, status, header)
	switch {
	case status >= 300 && status < 400:
		c.redirected(e, at, header.Get("Location"))
	case e.Kind == ikigai.ErrorBadRequest && isNowhere(status):
		if !f.told {
			e.What, e.Do = "Nothing is at "+c.address(at), c.checkBaseURL(at)
		} else if e.Do == c.do(e.Kind) {
			e.Do = c.checkBaseURL(at)
		}
	}
	switch header.Get("X-Should-Retry") {
	case "false":
		e.Err = permanent{errors.New("the vendor says that sending again cannot help")}
	case "true":
		e.Err = errAgain
	}
	return e
}

// before returns s up to the first sep.
func before(s, sep string) string {
	s, _, _ = strings.Cut(s, sep)
	return s
}

// errAgain is the cause of a refusal of which the vendor says that sending the
// request again can help.
var errAgain = errors.New("the vendor says that sending again can help")

// isNowhere reports whether status says that no such request is answered at an
// address.
func isNowhere(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

// Fault returns the error that a vendor reports in the middle of a reply with
// status 200. body is JSON where the vendor speaks it.
func (c Config) Fault(body []byte) *ikigai.Error {
	f := parseFault(body)
	return c.fault(f, f.status, nil)
}

// fault tells of f, which came with the given status and header; 0 and nil are
// unknown.
func (c Config) fault(f fault, status int, header http.Header) *ikigai.Error {
	kind := f.kind(status)
	message := strings.TrimRight(c.words(f.message), ". ")
	e := &ikigai.Error{Kind: kind, Status: status, What: c.what(kind), Do: c.do(kind), RetryAfter: f.waits(header, time.Now())}
	switch kind {
	case ikigai.ErrorBadRequest, ikigai.ErrorTooLarge, ikigai.ErrorContentFilter:
		e.Message = f.refused()
	}
	e.StaleState = kind == ikigai.ErrorBadRequest && f.isStale()
	switch {
	case message == "":
	case f.is("script"): // its errors are written for the same reader
		e.What = message
	default:
		e.What += ": " + message
	}
	switch {
	case f.says("requires more system memory"):
		e.Do = "Choose a smaller model, or give the server more memory"
	case f.says("verified to generate reasoning summaries"):
		e.Do = "Set vendors." + c.vendor() + ".no_summary to true, or verify the organization"
	case f.lacksTools():
		e.Do = "Choose a model that can call tools, or a server that lets it"
	case f.lacksMedia():
		e.Do = "Choose a model that takes images and files"
	case f.isStale():
		e.Do = "Go back before the last replies with `ikigai sessions rewind`, or start a new session"
	case f.wantsOutput():
		e.Do = "Lower max_output_tokens"
	case f.says("http request to an https server"):
		e.Do = "Write https:// in " + c.baseURLSetting()
	case f.is("tool_use_failed"):
		e.Do = "Send the statement again; the model called a tool with input that does not fit it"
	case kind == ikigai.ErrorBadRequest:
		// What vendors advise is better than what can be said of any refusal.
		if what, advice := lastSentence(e.What); advice != "" {
			e.What, e.Do = what, advice
		}
	case e.RetryAfter > 0 && passes(kind):
		e.Do = "Try again in " + roughly(e.RetryAfter)
	}
	return e
}

// passes reports whether an error of a kind may be gone after a while, though
// nobody does anything about it.
func passes(kind ikigai.ErrorKind) bool {
	switch kind {
	case ikigai.ErrorRateLimit, ikigai.ErrorOverloaded, ikigai.ErrorServer, ikigai.ErrorTimeout,
		ikigai.ErrorNetwork, ikigai.ErrorIncomplete:
		return true
	}
	return false
}

// lastSentence cuts off the last of several sentences.
func lastSentence(s string) (before, last string) {
	for i := len(s) - 3; i > 0; i-- {
		if s[i] == '.' && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' {
			return s[:i], s[i+2:]
		}
	}
	return s, ""
}

// what returns the first sentence, to which the vendor's own words are added.
func (c Config) what(kind ikigai.ErrorKind) string {
	switch kind {
	case ikigai.ErrorAuth:
		switch {
		case c.Authorize != nil:
			return c.vendor() + " refuses the credentials"
		case c.Key == "":
			return c.vendor() + " wants a key"
		}
		return c.vendor() + " refuses the key"
	case ikigai.ErrorPermission:
		return c.vendor() + " does not allow this with the key"
	case ikigai.ErrorModel:
		return fmt.Sprintf("%s cannot serve the model %q", c.vendor(), c.Model)
	case ikigai.ErrorContext:
		return "The conversation does not fit " + c.Name
	case ikigai.ErrorTooLarge:
		return "The request is larger than " + c.vendor() + " takes"
	case ikigai.ErrorRateLimit:
		return c.vendor() + " wants fewer requests"
	case ikigai.ErrorQuota:
		return "The account at " + c.vendor() + " has nothing left to spend"
	case ikigai.ErrorOverloaded:
		return c.vendor() + " has no capacity now"
	case ikigai.ErrorServer:
		return c.vendor() + " failed"
	case ikigai.ErrorTimeout:
		return c.vendor() + " did not answer in time"
	case ikigai.ErrorContentFilter:
		return "The content filter of " + c.vendor() + " refuses the conversation"
	}
	return c.vendor() + " refuses the request"
}

// do returns the second sentence.
func (c Config) do(kind ikigai.ErrorKind) string {
	key := "the key of " + c.vendor()
	if c.KeySource != "" {
		key = "the key in " + c.KeySource
	}
	switch kind {
	case ikigai.ErrorAuth:
		switch {
		case c.Authorize != nil && c.KeySource == "":
			return "Check the credentials for " + c.vendor() + "; they may have run out"
		case c.Authorize == nil && c.Key == "" && c.KeySource != "":
			return "Set " + c.KeySource
		case c.Authorize == nil && c.Key == "":
			return "Store one with `ikigai login " + c.vendor() + "`"
		}
		return "Check " + key
	case ikigai.ErrorPermission:
		return "Check what " + key + " may be used for"
	case ikigai.ErrorModel:
		return "Choose another model with --model or the setting model"
	case ikigai.ErrorContext:
		return "Start a new session, or choose a model with a larger context"
	case ikigai.ErrorTooLarge:
		return "Attach less, or start a new session"
	case ikigai.ErrorRateLimit, ikigai.ErrorOverloaded:
		return "Wait a little and try again"
	case ikigai.ErrorQuota:
		return "Check the plan and the billing of the account that " + key + " belongs to"
	case ikigai.ErrorServer, ikigai.ErrorTimeout, ikigai.ErrorIncomplete:
		return "Try again"
	case ikigai.ErrorContentFilter:
		return "Put the statement another way, or go back with `ikigai sessions rewind`"
	}
	return "Check the model and the settings for " + c.vendor()
}

// explain returns err as a person is told of it.
func (c Config) explain(ctx context.Context, err error) *ikigai.Error {
	if ctx.Err() == context.Canceled {
		return &ikigai.Error{Kind: ikigai.ErrorCancelled, What: "The request was stopped", Do: "Send it again when you are ready", Err: ctx.Err()}
	}
	var told *ikigai.Error
	if errors.As(err, &told) {
		return told
	}
	var timeout errTimeout
	if errors.As(err, &timeout) && timeout.alive {
		return c.failure(ikigai.ErrorTimeout, fmt.Sprintf("%s kept the connection alive for %s, and said nothing", c.vendor(), timeout.after), err)
	}
	if errors.As(err, &timeout) {
		return c.failure(ikigai.ErrorTimeout, fmt.Sprintf("%s sent nothing for %s", c.vendor(), timeout.after), err)
	}
	if ctx.Err() != nil {
		return c.failure(ikigai.ErrorTimeout, c.vendor()+" did not answer in the time there was", ctx.Err())
	}
	return c.network(err)
}

// cut returns the error of a reply that could not be read to its end.
func (c Config) cut(err error) error {
	if err == nil || errors.Is(err, ErrStopped) || errors.As(err, new(*ikigai.Error)) || errors.As(err, new(errTimeout)) {
		return err
	}
	if errors.Is(err, errTooLong) {
		e := c.Broken(fmt.Sprintf("is longer than %d MiB", maxReply>>20))
		e.Err = permanent{err} // it was paid for
		return e
	}
	return c.failure(ikigai.ErrorIncomplete, fmt.Sprintf("The reply of %s was cut off: %s", c.Name, c.words(err.Error())), err)
}

// Incomplete returns the error of a reply that ended without its end.
func (c Config) Incomplete() *ikigai.Error {
	return c.failure(ikigai.ErrorIncomplete, fmt.Sprintf("The reply of %s ended before its end", c.Name), nil)
}

// Broken returns the error of a reply that cannot be understood. how is a
// clause that ends the sentence.
func (c Config) Broken(how string) *ikigai.Error {
	return c.failure(ikigai.ErrorServer, fmt.Sprintf("The reply of %s %s", c.Name, c.words(how)), nil)
}

func (c Config) failure(kind ikigai.ErrorKind, what string, cause error) *ikigai.Error {
	return &ikigai.Error{Kind: kind, What: strings.TrimRight(what, ". "), Do: c.do(kind), Err: cause}
}

// maxWords is how many bytes of others' words an error repeats.
const maxWords = 500

// Words returns what somebody else said, fit to be repeated: the start of it, on
// one line, as valid UTF-8 without control characters.
func Words(s string) string { return Config{}.words(s) }

// words returns what somebody else said as Words does, and without secrets.
func (c Config) words(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return r <= ' ' || r >= 0x7F && r < 0xA0 || r == '\u2028' || r == '\u2029'
	}), " ")
	s = c.redact(s)
	if len(s) <= maxWords {
		return s
	}
	return strings.TrimSpace(cutOff(s, maxWords) + " …")
}
