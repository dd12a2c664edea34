package replay

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/history"
)

const whatRequest = "request"

// encoder writes requests as they are sent to a model.
type encoder struct {
	model ikigai.Model
	err   error
	steer *steering // that the last request was written with
}

// steering is what steers a vendor and is no part of the conversation. The log does
// not tell of it.
type steering struct {
	level      ikigai.Level
	noCacheKey bool // as versions of the program had it that sent none
}

// encoder returns the encoder of a model.
func (p *player) encoder(name string) *encoder {
	e, ok := p.encoders[name]
	if !ok {
		e = new(encoder)
		e.model, e.err = p.Encoder(name)
		p.encoders[name] = e
	}
	return e
}

// encode writes a request. Of what steers the vendor that is taken with which the
// request has the given hash, if there is such.
func (e *encoder) encode(ctx context.Context, req ikigai.Request, hash string) (sent ikigai.Sent, err error) {
	key := req.CacheKey
	write := func(s steering) (fits bool) {
		req.Level, req.CacheKey = s.level, key
		if s.noCacheKey {
			req.CacheKey = ""
		}
		req.Sending = func(s ikigai.Sent) { sent = s }
		for _, failed := range e.model.Stream(ctx, req) {
			err = failed
		}
		return err != nil || hex.EncodeToString(sent.SHA256[:]) == hash
	}
	if e.steer == nil {
		e.steer = &steering{level: req.Level}
	}
	if write(*e.steer) {
		return sent, err
	}
	for _, level := range append(ikigai.Levels(), ikigai.LevelDefault) {
		for _, noCacheKey := range []bool{false, true} {
			s := steering{level, noCacheKey}
			if write(s) {
				e.steer = &s
				return sent, err
			}
		}
	}
	write(*e.steer)
	return sent, err
}

// compare writes a request and has it recorded, which compares it with the
// recorded one.
func (p *player) compare(ctx context.Context, req ikigai.Request, was ikigai.Event) {
	var d ikigai.RequestData
	if err := was.DecodeData(&d); err != nil {
		p.note(was.Seq, Difference{What: whatRequest, Was: "the record is damaged: " + clip(string(was.Data)), Is: "a request"})
		p.tape.skip(was)
		return
	}
	e := p.encoder(d.Model)
	if e.err != nil {
		p.unknown(fmt.Sprintf("How requests to %s are written is not known: %v", d.Model, e.err))
		p.tape.skip(was)
		return
	}
	sending := req.Sending
	sent, err := e.encode(ctx, req, d.SHA256)
	if err != nil {
		p.note(was.Seq, Difference{What: whatRequest, Was: fmt.Sprintf("%d bytes", d.Size), Is: err.Error()})
		p.tape.skip(was)
		return
	}
	p.sent = sent
	sending(sent)
	p.tape.await(was) // it is recorded beside the way
}

// judge compares an event that was made anew with the recorded one.
func (p *player) judge(was, is ikigai.Event, ran bool) {
	switch was.Kind {
	case ikigai.KindRequest:
		p.judgeRequest(was, is)
	case ikigai.KindToolResult:
		p.report.Results++
		if !ran {
			p.judgeResult(was, is)
		}
	case ikigai.KindUser, ikigai.KindUsage, ikigai.KindApproval:
		// What was said is input, as are what was used and what was allowed.
	case ikigai.KindToolCall:
		p.judgeText(was, "", string(was.Data), string(is.Data))
	default:
		p.judgeText(was, "", was.Content, is.Content)
	}
}

// judgeText compares a text of an event.
func (p *player) judgeText(was ikigai.Event, place, then, now string) {
	if then != now {
		then, now = apart(then, now)
		p.note(was.Seq, Difference{What: string(was.Kind), Place: place, Was: then, Is: now})
	}
}

func (p *player) judgeRequest(was, is ikigai.Event) {
	p.report.Requests++
	then, now := requested(was), requested(is)
	p.judgeText(was, "model", then.Model, now.Model)
	p.judgeText(was, "tool_choice", then.ToolChoice, now.ToolChoice)
	if then.SHA256 == now.SHA256 && then.Size == now.Size {
		p.good = was.Seq
		return
	}
	if !p.follows(was.Seq, then, now) {
		p.differing[was.Seq].found = p.judgeBody(was.Seq, then, now)
	}
}

// judgeBody notes where the body of a request differs, and returns the places of
// those differences in the report.
func (p *player) judgeBody(seq ikigai.Seq, then, now ikigai.RequestData) (found []int) {
	body, err := p.rebuild(seq)
	if err != nil {
		return []int{p.note(seq, Difference{What: whatRequest,
			Was: fmt.Sprintf("%d bytes with SHA-256 %.12s, which the events %d to %d do not give any more. %v", then.Size, then.SHA256, p.good+1, seq, err),
			Is:  fmt.Sprintf("%d bytes with SHA-256 %.12s", now.Size, now.SHA256)})}
	}
	for _, d := range bodyDifferences(body, joined(p.sent)) {
		d.What = whatRequest
		found = append(found, p.note(seq, d))
	}
	return found
}

// differing is a request that differs.
type differing struct {
	heads        [2]string // what the recorded body and that of now begin with
	conversation bool      // what comes behind that differs, too
	found        []int     // its differences, by their place in the report
}

// follows reports whether a request differs for the reason for which the one does
// that it goes on with, and counts it to those differences. To look for them in
// each request would take time that grows with the square of their number.
func (p *player) follows(seq ikigai.Seq, then, now ikigai.RequestData) bool {
	is := &differing{heads: [2]string{strings.Join(then.Head, " "), strings.Join(now.Head, " ")}, conversation: then.StemSHA256 != now.StemSHA256}
	before := p.differing[then.Previous]
	p.differing[seq] = is
	if before == nil || before.heads != is.heads || before.conversation != is.conversation || then.Kept == 0 {
		return false
	}
	is.found = before.found
	for _, i := range is.found {
		p.report.Differences[i].Again++
	}
	return true
}

// rebuild returns a request as it was sent.
func (p *player) rebuild(seq ikigai.Seq) ([]byte, error) {
	events := func(yield func(ikigai.Event, error) bool) {
		for _, e := range p.Events {
			if !yield(e, nil) {
				return
			}
		}
	}
	return history.Rebuild(context.Background(), events, p.Blobs, seq)
}

func joined(sent ikigai.Sent) []byte {
	return bytes.Join(append(sent.Head[:len(sent.Head):len(sent.Head)], sent.Conversation...), nil)
}

// judgeResult compares the result of a call.
func (p *player) judgeResult(was, is ikigai.Event) {
	var then, now ikigai.ToolResultData
	_, _ = was.DecodeData(&then), is.DecodeData(&now) // what is damaged differs
	p.judgeText(was, then.Name+" output", then.Output, now.Output)
	p.judgeText(was, then.Name+" success", fmt.Sprint(then.Success), fmt.Sprint(now.Success))
	p.judgeText(was, then.Name+" note", then.Note, now.Note)
	p.judgeText(was, then.Name+" parts", partsText(then.Parts), partsText(now.Parts))
	if p.Tools != nil {
		p.judgeFiles(was, then)
	}
}

// partsText returns what tells parts of a result apart.
func partsText(parts []ikigai.Part) string {
	if len(parts) == 0 {
		return ""
	}
	raw, _ := json.Marshal(parts) // texts and numbers always encode
	return string(raw)
}

// lacks notes an event that the recording has not.
func (p *player) lacks(is ikigai.Event) {
	p.note(p.tape.events[min(p.tape.next, len(p.tape.events)-1)].Seq, Difference{What: string(is.Kind), Was: "none", Is: clip(is.Content)})
}

// miss notes a recorded event that was not made anew.
func (p *player) miss(was ikigai.Event) {
	p.note(was.Seq, Difference{What: string(was.Kind), Was: clip(was.Content), Is: "none"})
}

// note notes a difference in or behind event seq, and returns its place in the
// report.
func (p *player) note(seq ikigai.Seq, d Difference) int {
	d.Event, d.Statement, d.Turn = seq, p.numbers[seq], p.turn
	if p.Name != ikigai.Main {
		d.Interaction = p.Name
	}
	return p.differ(d)
}
