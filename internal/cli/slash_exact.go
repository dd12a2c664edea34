package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"ikigai"
	"ikigai/internal/history"
	"ikigai/internal/render"
	"ikigai/internal/transcript"
)

func exactCommands() []slash {
	return []slash{
		{name: "raw", args: "[N | #EVENT]", about: "show a request exactly as it was sent",
			more:  "Without an argument it is the last one, else request N counted from 1, or what was recorded as event #EVENT, as /log -v shows it. The bytes are rebuilt from the log and checked against their SHA-256; the pager shows them indented.",
			tells: always, run: (*front).showRaw},
		{name: "system", about: "show the system prompt as it was recorded", tells: always, run: (*front).showSystem},
	}
}

// showRaw shows a request as it was sent, or an event as it was recorded.
func (f *front) showRaw(ctx context.Context, args string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	if number, isEvent := strings.CutPrefix(args, "#"); isEvent {
		return f.showEvent(ctx, w, number)
	}
	seq, n, err := requestNamed(f.events(ctx, w), args)
	if err != nil {
		return err
	}
	return f.showRequest(ctx, w, seq, fmt.Sprintf("request %d", n))
}

// requestNamed returns the event of the nth request, or of the last one if text is
// empty, and its number.
func requestNamed(events iter.Seq2[ikigai.Event, error], text string) (seq ikigai.Seq, n int, err error) {
	wanted := 0
	if text != "" {
		if wanted, err = strconv.Atoi(text); err != nil || wanted < 1 {
			return 0, 0, usage(fmt.Sprintf("%q names no request", clipped(text)), "Count the requests from 1, or name an event, such as #17")
		}
	}
	err = fold(events, func(e ikigai.Event) {
		if e.Kind == ikigai.KindRequest && (wanted == 0 || n < wanted) {
			seq = e.Seq
			n++
		}
	})
	switch {
	case err != nil:
		return 0, 0, err
	case n == 0:
		return 0, 0, usage("No request was sent in this session yet", "Say something first")
	case n < wanted:
		return 0, 0, usage(fmt.Sprintf("The session has no request %d, it has %d", wanted, n), "/raw without a number shows the last one")
	}
	return seq, n, nil
}

// showRequest shows the body of a request, indented. That its bytes are those that
// were sent is checked as they are rebuilt.
func (f *front) showRequest(ctx context.Context, w *work, seq ikigai.Seq, name string) error {
	body, err := history.Rebuild(ctx, f.events(ctx, w), w.reads, seq)
	if e := new(ikigai.Error); errors.As(err, &e) {
		return e // without the names of blobs around it
	}
	if err != nil {
		return err
	}
	head := fmt.Sprintf("%s as they were sent, indented here. SHA-256 as recorded: %x\n\n", render.Bytes(int64(len(body))), sha256.Sum256(body))
	f.ui.Page(ctx, fmt.Sprintf("%s, event %d", name, seq), head+f.harmless(string(pretty(body))), false)
	return nil
}

// showEvent shows an event as it was recorded, or the request that it is.
func (f *front) showEvent(ctx context.Context, w *work, number string) error {
	var event *ikigai.Event
	err := fold(f.events(ctx, w), func(e ikigai.Event) {
		if strconv.FormatInt(int64(e.Seq), 10) == number {
			event = &e
		}
	})
	switch {
	case err != nil:
		return err
	case event == nil:
		return usage("The session has no event "+clipped(number), "See the numbers of its events with /log -v")
	case event.Kind == ikigai.KindRequest:
		return f.showRequest(ctx, w, event.Seq, "a request")
	}
	title := fmt.Sprintf("event %d, %s, as it was recorded", event.Seq, event.Kind)
	f.ui.Page(ctx, title, f.harmless(string(pretty(transcript.JSONLine(*event)))), false)
	return nil
}

// showSystem shows the system prompt.
func (f *front) showSystem(ctx context.Context, _ string) error {
	w, err := f.opened(ctx)
	if err != nil {
		return err
	}
	text := w.prompt.whole()
	if text == "" {
		return usage("The session has no system prompt yet", "Say something first")
	}
	f.ui.Page(ctx, "system prompt, as it was recorded", f.harmless(text), false)
	return nil
}
