package postgres

import (
	"testing"
	"time"

	"ikigai"
	"ikigai/internal/storetest"
)

// awaitNext has an event appended while s waits for it.
func awaitNext(t *testing.T, s, writer *Store, g ikigai.Grant, after ikigai.Seq) {
	t.Helper()
	told := make(chan error, 1)
	go func() { told <- s.Await(t.Context(), g.Session, after) }()
	if err := writer.Append(t.Context(), g, after, storetest.Statement(g.Session, after+1, "next")); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
}

// Who waits is told, without looking for itself, also after its connection
// broke.
func TestAwaitIsTold(t *testing.T) { // P9
	s, p, url := through(t, time.Hour)
	s.listener.poll = time.Hour
	writer := openAt(t, url)
	g, _ := beginSession(t, writer)
	for after := ikigai.Seq(1); after < 20; after++ {
		if after%10 == 0 {
			p.Cut()
		}
		awaitNext(t, s, writer, g, after)
	}
}

// Without being told, it looks for itself.
func TestAwaitLooks(t *testing.T) {
	url := database(t)
	s, writer := openAt(t, url), openAt(t, url)
	g, _ := beginSession(t, writer)
	s.listener.poll = 10 * time.Millisecond
	s.listener.closed = true // it does not listen
	awaitNext(t, s, writer, g, 1)
}
