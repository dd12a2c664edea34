package oracle

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/provider/openai"
	"ikigai/internal/providertest"
)

// opinion is what a client makes of a streamed reply, as far as both have a
// word for it.
type opinion struct {
	Text, Refusal string
	Calls         []ikigai.ToolCall
	Stop          ikigai.StopReason // "" where the client reports none
	Failed        bool
}

// OpenAI's own library reads every recorded stream as we do, less what it is
// known to leave out.
func TestStreamsAgainstTheSDK(t *testing.T) {
	var stream string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, stream)
	}))
	defer server.Close()
	model := openai.New(provider.Config{Name: "openai/x", Model: "x", BaseURL: server.URL, MaxAttempts: 1})
	client := sdk.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none"), option.WithMaxRetries(0))

	agreed, excused := 0, map[string]int{}
	for _, rec := range providertest.Recordings(t, "openai.chat") {
		if !rec.Stream || rec.Status != http.StatusOK {
			continue
		}
		stream = rec.Body
		ours, theirs := ourOpinion(t, model), theirOpinion(t, &client)
		if reason := excuse(rec, ours, &theirs); reason != "" {
			excused[reason]++
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%s, %d (-SDK +ours):\n%s", rec.Name, rec.Status, diff)
			continue
		}
		agreed++
	}
	t.Logf("%d streams; where the SDK differs: %v", agreed, excused)
	if providertest.Known(t) && agreed < 300 {
		t.Errorf("%d streams", agreed)
	}
}

func ourOpinion(t *testing.T, model ikigai.Model) opinion {
	r := providertest.Collect(t, model, ikigai.Request{Messages: []ikigai.Message{{Kind: ikigai.KindUser, Content: "hi"}}})
	return opinion{Text: r.Text, Refusal: r.Refusal, Calls: r.Calls, Stop: r.Stop, Failed: r.Err != nil}
}

// theirOpinion joins the chunks that the SDK reads. Its own accumulator is of
// no use here: it refuses chunks whose ID changes and forgets the reason of the
// end when a chunk follows it.
func theirOpinion(t *testing.T, client *sdk.Client) opinion {
	stream := client.Chat.Completions.NewStreaming(t.Context(), sdk.ChatCompletionNewParams{
		Model: "x", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("hi")},
	})
	defer stream.Close()
	var o opinion
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			if choice.Index != 0 {
				continue
			}
			o.Text += choice.Delta.Content
			o.Refusal += choice.Delta.Refusal
			for _, c := range choice.Delta.ToolCalls {
				o.call(c)
			}
			if choice.FinishReason != "" {
				o.Stop = stopReasons[choice.FinishReason]
			}
		}
	}
	o.Failed = stream.Err() != nil
	return o
}

var stopReasons = map[string]ikigai.StopReason{
	"stop": ikigai.StopEnd, "tool_calls": ikigai.StopToolCalls, "length": ikigai.StopLength, "content_filter": ikigai.StopFilter,
}

func (o *opinion) call(c sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	for int(c.Index) >= len(o.Calls) {
		o.Calls = append(o.Calls, ikigai.ToolCall{})
	}
	to := &o.Calls[c.Index]
	if to.ID == "" {
		to.ID = c.ID
	}
	if to.Name == "" {
		to.Name = c.Function.Name
	}
	to.Arguments += c.Function.Arguments
}

// excuse makes theirs agree with ours where the SDK is known to differ, and
// says where that is.
func excuse(rec providertest.Recording, ours opinion, theirs *opinion) string {
	switch {
	case ours.Failed && !theirs.Failed && theirs.Stop == "": // P30
		theirs.Failed = true
		return "silent when a stream has no end"
	case rec.Has("chat:content-array"):
		theirs.Text = ours.Text
		return "a list of content parts is text to it"
	case len(ours.Calls) > 0 && theirs.Stop == ikigai.StopEnd:
		theirs.Stop = ikigai.StopToolCalls
		return "the reason is stop although there are calls"
	case len(ours.Calls) == 0 && theirs.Stop == ikigai.StopToolCalls:
		theirs.Stop = ikigai.StopEnd
		return "the reason is tool_calls although there are none"
	}
	return ""
}
