package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/media"
)

// execute runs the calls of a round in order and records each result as it is
// there. Neighbours that change nothing run at once, up to Concurrency. It
// returns the number of calls that were denied; the error is that the turn was
// stopped or that the session takes no more events.
func (a *Agent) execute(ctx context.Context, r *round) (denied int, err error) {
	a.stoppable(ctx, r.calls)
	for start := 0; start < len(r.calls); {
		end := start + 1
		for a.Concurrency > 1 && r.calls[start].overlaps() && end < len(r.calls) && r.calls[end].overlaps() {
			end++
		}
		if err := a.executeBatch(ctx, r, start, end); err != nil {
			return denied, closed(err)
		}
		start = end
	}
	for _, c := range r.calls {
		if c.denied {
			denied++
		}
	}
	if ctx.Err() != nil {
		return denied, a.report(ctx, cancelled(ctx))
	}
	return denied, nil
}

// executeBatch runs calls start to end-1, at once if there are several.
func (a *Agent) executeBatch(ctx context.Context, r *round, start, end int) error {
	if end == start+1 {
		return a.executeOne(ctx, r, start)
	}
	var wg sync.WaitGroup
	errs := make([]error, end-start)
	slots := make(chan struct{}, a.Concurrency)
	for i := start; i < end; i++ {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			defer crash.Guard()
			errs[i-start] = a.executeOne(ctx, r, i)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// executeOne runs call i and records its result.
func (a *Agent) executeOne(ctx context.Context, r *round, i int) error {
	c := &r.calls[i]
	defer a.done(c.ID)
	a.permit(ctx, c)
	began := time.Now()
	result := c.refusal
	if result == nil {
		a.watch(ctx, c)
		ran := a.run(c)
		a.addNote(&ran)
		result = &ran
	}
	data := resultData(c, result, time.Since(began))
	blobs := attach(data.Parts)
	last := r.limit && i == len(r.calls)-1
	framed := a.frame(&data, result, last)
	a.limit(&data)
	if last && !framed {
		data.Output = addLimitReached(data.Output, a.MaxToolTurns)
	}
	event := ikigai.NewEvent(ikigai.KindToolResult, describeResult(result), data)
	event.Blobs = blobs
	_, err := a.Recorder.Record(ctx, event)
	if c.refusal == nil {
		a.look(ctx, c.tool)
	}
	return err
}

// addNote adds to a result's note what there is to tell of its resources.
func (a *Agent) addNote(r *ikigai.Result) {
	if a.Notes == nil || len(r.Resources) == 0 {
		return
	}
	if note := a.Notes(r.Resources); note != "" {
		r.Note = strings.TrimPrefix(r.Note+"\n"+note, "\n")
	}
}

// attach makes images and documents of a result fit to be recorded and sent,
// and returns their bytes. Words stand for those that can be sent to nobody.
func attach(parts []ikigai.Part) (blobs []ikigai.Blob) {
	for i, p := range parts {
		if len(p.Bytes) == 0 {
			continue
		}
		attached, bytes, err := media.Attach(p.Name, p.Bytes)
		if err != nil {
			parts[i] = ikigai.Part{Type: ikigai.PartText, Text: "(" + err.Error() + ")"}
			continue
		}
		parts[i] = attached
		blobs = append(blobs, bytes...)
	}
	return blobs
}

// run runs a tool. A panic in it is a failure of the tool, not of the session. What
// a tool has done all the same when the person stops it stands.
func (a *Agent) run(c *gatedCall) (result ikigai.Result) {
	defer func() {
		if v := recover(); v != nil {
			result = ikigai.Failure(ikigai.CodeToolCrashed, fmt.Sprintf("The tool %s broke: %v", c.Name, v),
				"Try another way, and report this as a fault of the tool")
		}
	}()
	call := ikigai.Call{ID: c.ID, Dir: a.Dir, Args: c.args, Intend: a.intend(c.ID)}
	if a.Progress != nil {
		a.Progress(c.ID, nil)
		call.Progress = func(p []byte) { a.Progress(c.ID, p) }
	}
	result = c.tool.Run(c.ctx, call)
	if result.Failed && c.stopped() {
		return stoppedResult(result)
	}
	return result
}

// resultData returns what the log keeps of a result.
func resultData(c *gatedCall, r *ikigai.Result, took time.Duration) ikigai.ToolResultData {
	d := ikigai.ToolResultData{
		ToolCallID: c.ID, Name: c.Name, Success: !r.Failed,
		Note: r.Note, Report: r.Report, Resources: r.Resources, Millis: took.Milliseconds(),
	}
	if c.args != nil && !bytes.Equal(c.args, []byte(c.Arguments)) {
		d.Executed = c.args
	}
	for i, part := range r.Output {
		if i == 0 && part.Type == ikigai.PartText {
			d.Output = part.Text
		} else {
			d.Parts = append(d.Parts, part)
		}
	}
	return d
}
