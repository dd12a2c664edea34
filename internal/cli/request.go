package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/transcript"
)

// logRequest prints the body of a request as it was sent.
func (a *app) logRequest(ctx context.Context, store ikigai.Store, id ikigai.ID, o logOptions) error {
	seq, err := requestAt(a.allEvents(ctx, store, id), o.request)
	if err != nil {
		return err
	}
	body, err := history.Rebuild(ctx, a.allEvents(ctx, store, id), store, seq)
	if err != nil {
		return err
	}
	if o.pretty {
		body = pretty(body)
	}
	return a.results(func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	})
}

// pretty returns JSON indented for people, and what is none as it is.
func pretty(body []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return body
	}
	return append(transcript.Visible(b.Bytes()), '\n')
}

// requestAt returns the event of the request that text names: the nth, or the
// event seq:n.
func requestAt(events iter.Seq2[ikigai.Event, error], text string) (ikigai.Seq, error) {
	number, isEvent := strings.CutPrefix(text, "seq:")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return 0, usage(fmt.Sprintf("%q names no request", text), "Count the requests from 1, or name an event, such as seq:17")
	}
	if isEvent {
		return ikigai.Seq(n), nil
	}
	count := 0
	for e, err := range events {
		if err != nil {
			return 0, err
		}
		if e.Kind == ikigai.KindRequest {
			if count++; count == n {
				return e.Seq, nil
			}
		}
	}
	return 0, usage(fmt.Sprintf("The session has no request %d, it has %d", n, count), "See `ikigai log -v` for them")
}
