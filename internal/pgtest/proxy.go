package pgtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy stands between clients and a server and does what networks do. The
// connections must not be encrypted.
type Proxy struct {
	listener net.Listener
	server   string
	all      sync.WaitGroup

	mu     sync.Mutex
	ended  bool
	lose   string // tag of the command whose answer is lost; "" for none
	lost   chan struct{}
	delay  time.Duration
	hole   chan struct{} // closed when what is sent passes again; nil while it passes
	refuse bool
	links  map[*link]bool
}

// link is a client's connection and the one to the server that belongs to it.
type link struct {
	client, server net.Conn
	cut            chan struct{}
	once           sync.Once
}

func (l *link) close() {
	l.once.Do(func() {
		close(l.cut)
		l.client.Close()
		l.server.Close()
	})
}

// NewProxy starts a proxy before the server at addr. It ends with the test.
func NewProxy(t testing.TB, addr string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, server: addr, links: make(map[*link]bool)}
	p.all.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Addr returns the host and port of the proxy.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut cuts all connections. New ones pass.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Refuse cuts all connections and refuses new ones, until it is called with
// false.
func (p *Proxy) Refuse(on bool) {
	p.mu.Lock()
	p.refuse = on
	p.mu.Unlock()
	if on {
		p.Cut()
	}
}

// LoseAnswer has the server carry out the next command whose tag begins with
// tag, such as "INSERT", "COMMIT" or "SELECT", with all that was sent together
// with it, and cuts the connection instead of passing the answer on. The
// channel is closed when that has happened.
func (p *Proxy) LoseAnswer(tag string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose, p.lost = tag, make(chan struct{})
	return p.lost
}

// Delay has every answer of the server wait for d.
func (p *Proxy) Delay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// BlackHole keeps everything that is sent in either direction, without a word,
// until it is called with false.
func (p *Proxy) BlackHole(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.hole == nil:
		p.hole = make(chan struct{})
	case !on && p.hole != nil:
		close(p.hole)
		p.hole = nil
	}
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.BlackHole(false)
	p.Cut()
	p.all.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.all.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := net.DialTimeout("tcp", p.server, wait)
	if err != nil {
		client.Close()
		return
	}
	l := &link{client: client, server: server, cut: make(chan struct{})}
	defer l.close()
	p.mu.Lock()
	p.links[l] = true
	refused := p.refuse || p.ended
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.links, l)
		p.mu.Unlock()
	}()
	if refused {
		return
	}
	p.all.Go(func() {
		defer l.close()
		p.requests(l)
	})
	p.answers(l)
}

// requests passes on what the client sends.
func (p *Proxy) requests(l *link) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.client.Read(buffer)
		if err != nil || !p.pass(l, 0) {
			return
		}
		if _, err := l.server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// answers passes on the server's messages, one by one.
func (p *Proxy) answers(l *link) {
	for {
		message, err := readMessage(l.server)
		if err != nil {
			return
		}
		if p.loses(message) {
			_ = untilReady(l.server)
			p.mu.Lock()
			close(p.lost)
			p.mu.Unlock()
			return
		}
		delay := time.Duration(0)
		if message[0] == readyForQuery {
			p.mu.Lock()
			delay = p.delay
			p.mu.Unlock()
		}
		if !p.pass(l, delay) {
			return
		}
		if _, err := l.client.Write(message); err != nil {
			return
		}
	}
}

// Types of the server's messages.
const (
	commandComplete = 'C'
	readyForQuery   = 'Z'
)

// loses reports whether message is the answer that is to be lost, once.
func (p *Proxy) loses(message []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lose == "" || message[0] != commandComplete || !bytes.HasPrefix(message[5:], []byte(p.lose)) {
		return false
	}
	p.lose = ""
	return true
}

// pass waits for delay and while nothing passes. It reports whether the
// connection is still there.
func (p *Proxy) pass(l *link, delay time.Duration) bool {
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-l.cut:
			return false
		}
	}
	p.mu.Lock()
	hole := p.hole
	p.mu.Unlock()
	if hole == nil {
		return true
	}
	select {
	case <-hole:
		return true
	case <-l.cut:
		return false
	}
}

// readMessage reads a message of the server: a type, a length and what it says.
func readMessage(r io.Reader) ([]byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	length := int(binary.BigEndian.Uint32(head[1:]))
	message := make([]byte, 1+length)
	copy(message, head)
	_, err := io.ReadFull(r, message[5:])
	return message, err
}

// untilReady reads up to the end of an answer: the server has committed then.
func untilReady(r io.Reader) error {
	for {
		message, err := readMessage(r)
		if err != nil || message[0] == readyForQuery {
			return err
		}
	}
}
