package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ikigai"
)

// withFormat returns the statement, with the form of the answer in words where
// a model may be asked that cannot be held to it otherwise.
func (a *Agent) withFormat(statement ikigai.Event) ikigai.Event {
	if a.Format != nil && slices.ContainsFunc(a.candidates(), func(c Candidate) bool { return c.NoFormat }) {
		statement.Content += "\n\n" + a.inWords()
	}
	return statement
}

// inWords says what form the answer must have.
func (a *Agent) inWords() string {
	var schema bytes.Buffer
	if json.Compact(&schema, a.Format.Schema) != nil {
		return "Answer with JSON alone."
	}
	return "Answer with JSON alone, without any other text, that fits this JSON Schema:\n" + schema.String()
}

// checkAnswer holds the answer against the Format and reduces it to its JSON.
// If it does not fit, the model is told so, once; again tells that it is to be
// asked again.
func (a *Agent) checkAnswer(ctx context.Context, asked *asking, out *Outcome) (again bool, err error) {
	if a.Format == nil {
		return false, nil
	}
	answer, wrong := a.fit(out.Answer)
	switch {
	case wrong == nil:
		out.Answer = answer
		return false, nil
	case asked.corrected || a.AskOnce:
		return false, a.report(ctx, &ikigai.Error{Kind: ikigai.ErrorIncomplete, Err: wrong,
			What: "The answer does not have the form that was asked for: " + strings.TrimRight(wrong.Error(), "."),
			Do:   "Ask again with `ikigai run --continue`, or choose another model"})
	}
	asked.corrected = true
	told := ikigai.NewEvent(ikigai.KindUser,
		"Your answer does not have the form that was asked for: "+strings.TrimRight(wrong.Error(), ".")+".\n\n"+a.inWords(), ikigai.MessageData{By: ikigai.ByLoop})
	if _, err := a.Recorder.Record(ctx, told); err != nil {
		return false, closed(err)
	}
	return true, nil
}

// fit returns the JSON that an answer is, or has between the lines of a fence,
// and what is wrong with it.
func (a *Agent) fit(answer string) (bare string, wrong error) {
	bare = unfenced(strings.TrimSpace(answer))
	if !json.Valid([]byte(bare)) {
		return "", errors.New("it is not valid JSON")
	}
	if a.CheckAnswer == nil {
		return bare, nil
	}
	return bare, a.CheckAnswer(bare)
}

// unfenced returns what stands between the lines of a fence, if s is in one.
func unfenced(s string) string {
	first, rest, ok := strings.Cut(s, "\n")
	inside, closed := strings.CutSuffix(rest, "```")
	if !ok || !closed || !strings.HasPrefix(first, "```") {
		return s
	}
	return strings.TrimSpace(inside)
}
