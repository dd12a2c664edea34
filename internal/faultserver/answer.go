// Package faultserver is a vendor that has a bad day: a server that plays
// answers, such as recorded ones, and sends them late, in small pieces, cut off,
// damaged, or not at all. It is for tests of what becomes of a session then.
//
// A test gives the server the answers that it will need, in order:
//
//	s := faultserver.InMemory(faultserver.Refusal(faultserver.Anthropic, 529), good.Drip(1))
//	defer s.Close()
package faultserver

import (
	"net/http"
	"time"
)

// Answer is one answer, and how it is sent. The zero value is an empty reply
// with status 200. The methods return a changed copy.
type Answer struct {
	Status int         // 0 is 200
	Header http.Header // Content-Type is text/event-stream where it names none
	Body   string

	Length int           // of the body as the header announces it; 0 announces none
	Delay  time.Duration // before anything is sent
	Piece  int           // bytes of the body that are sent at a time; 0 sends all at once
	Pause  time.Duration // between two pieces
	End    End
	Sign   string // of life, that is sent after the body where End is Alive

	// Bare sends the body alone, without status and header, and closes the
	// connection: what is no HTTP at all.
	Bare bool
}

// End is what follows the body.
type End string

const (
	Whole  End = ""       // its end, as it should be
	Lost   End = "lost"   // nothing: the connection is closed before the body is whole
	Silent End = "silent" // nothing, for as long as the client waits
	Alive  End = "alive"  // a Sign after each Pause, for as long as the client waits
)

// Stream returns a stream of events that arrives as it should.
func Stream(body string) Answer { return Answer{Body: body} }

// HangUp returns the answer of a server that closes the connection without one.
func HangUp() Answer { return Answer{Bare: true} }

// Garbage returns the answer of a server that does not speak HTTP.
func Garbage() Answer { return Answer{Bare: true, Body: "220 mail.test ESMTP\r\n\x00\xff\r\n"} }

// Page returns a web page with the given status.
func Page(status int) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html><body>" + http.StatusText(status) + "</body></html>"}
}

// Redirect returns an answer that sends the client to another address.
func Redirect(location string) Answer {
	return Answer{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {location}}}
}

// After sends the answer after a while.
func (a Answer) After(d time.Duration) Answer {
	a.Delay = d
	return a
}

// Drip sends n bytes at a time.
func (a Answer) Drip(n int) Answer {
	a.Piece = n
	return a
}

// Slow sends n bytes at a time, with a pause between them.
func (a Answer) Slow(n int, pause time.Duration) Answer {
	a.Piece, a.Pause = n, pause
	return a
}

// Cut ends the body after n bytes, as if that were all of it.
func (a Answer) Cut(n int) Answer {
	a.Body = a.Body[:min(n, len(a.Body))]
	return a
}

// Lose closes the connection after n bytes of the body.
func (a Answer) Lose(n int) Answer {
	a = a.Cut(n)
	a.End = Lost
	return a
}

// Stall sends nothing more after n bytes of the body.
func (a Answer) Stall(n int) Answer {
	a = a.Cut(n)
	a.End = Silent
	return a
}

// Keep sends a sign of life after each pause once the body has been sent, and
// never more.
func (a Answer) Keep(sign string, pause time.Duration) Answer {
	a.Sign, a.Pause, a.End = sign, pause, Alive
	return a
}

// Repeat sends the bytes of the body in [from, to) twice.
func (a Answer) Repeat(from, to int) Answer {
	a.Body = a.Body[:to] + a.Body[from:]
	return a
}

// Corrupt puts other bytes in the place of those that begin at n.
func (a Answer) Corrupt(n int, with string) Answer {
	a.Body = a.Body[:n] + with + a.Body[min(n+len(with), len(a.Body)):]
	return a
}

// Then appends to the body.
func (a Answer) Then(more string) Answer {
	a.Body += more
	return a
}
