package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/crash"
	"ikigai/internal/history"
)

// objectives has a model put into words what the session is for, and what each
// statement is to reach: one small request for a statement, which is sent when
// the statement's own first request has gone out, and for which nobody waits.
// Until it is answered, and where it is not, the person's own words stand.
//
// It is a projection of the session, for the words of the statements.
type objectives struct {
	work    *work // set once the session is open
	asks    bool  // a model is asked; else there is nothing to do
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	saying sync.Mutex // while an answer is recorded

	mu        sync.Mutex
	statement statementText // the last
	asked     ikigai.Seq    // the statement that was asked about last
	titled    bool
}

// statementText is what the person said.
type statementText struct {
	seq  ikigai.Seq
	text string
}

// Most of what is asked and answered.
const (
	maxObjectiveOutput   = 150  // tokens
	maxObjectiveThinking = 1024 // tokens beside these, of a model that cannot do without
	maxAskedStatement    = 2000 // bytes of a statement
	maxToldObjectives    = 3    // of those before
	maxTitle             = 80   // characters
	maxAimText           = 200  // characters of a goal and an objective
	objectivesTime       = time.Second
)

// newObjectives returns the objectives of a session that is being opened. They
// end with ctx.
func (o *opening) newObjectives(ctx context.Context) *objectives {
	n := &objectives{asks: o.objectivesFrom() == config.ObjectivesModel}
	n.ctx, n.stop = context.WithCancel(ctx)
	return n
}

// objectivesFrom returns where objectives come from, a value of the setting: a
// script that plays the model has them only where it says so.
func (o *opening) objectivesFrom() string {
	mode := o.settings.Objectives
	if mode == config.ObjectivesModel && scripted(o.endpoint) && (o.script == nil || !o.script.HasSide(ikigai.PurposeObjective)) {
		return config.ObjectivesText
	}
	return mode
}

// Add takes in the session's next event, old or new.
func (o *objectives) Add(e ikigai.Event) {
	if e.Interaction != ikigai.Main || !o.asks {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case e.Kind == ikigai.KindTitle:
		o.titled = true
	case e.IsStatement():
		o.statement = statementText{e.Seq, statementHead(e.Content)}
	}
}

// statementHead returns what a model is shown of a statement: its beginning and
// its end, without the files that are attached.
func statementHead(text string) string {
	text, _, _ = strings.Cut(text, "\n\n[file: ")
	if len(text) <= maxAskedStatement {
		return strings.Clone(text)
	}
	const end = maxAskedStatement / 4
	return strings.ToValidUTF8(text[:maxAskedStatement-end], "") + "\n[…]\n" + strings.ToValidUTF8(text[len(text)-end:], "")
}

// begin asks about the last statement, unless that was done. It returns at once.
func (o *objectives) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.statement
	if !o.asks || s.seq == o.asked {
		return
	}
	o.asked = s.seq
	fields := []string{"objective"}
	if o.work.purpose.GoalBy() == history.ByStatement {
		fields = append(fields, "goal")
	}
	if !o.titled {
		fields = append(fields, "title")
	}
	o.running.Go(func() {
		defer crash.Guard()
		o.ask(s, fields)
	})
}

// ask asks a model about a statement. Where that fails, the log says so in the
// side interaction, and nobody is bothered with it.
func (o *objectives) ask(s statementText, fields []string) {
	ctx, cancel := context.WithTimeout(o.ctx, sideTime)
	defer cancel()
	side, err := o.work.side(ctx, "what the statement is to reach", ikigai.InteractionData{Purpose: ikigai.PurposeObjective, Parent: ikigai.Main})
	if err != nil {
		return
	}
	defer side.end()
	askFor(side.Agent, fields)
	side.Recorder.Queue(sideSystem(ikigai.PurposeObjective, objectivePrompt(fields)))
	outcome, err := side.Run(ctx, ikigai.NewEvent(ikigai.KindUser, o.question(s), nil))
	if err == nil {
		o.answered(s, outcome.Answer, fields)
	}
}

// askFor makes an agent one that is asked for fields.
func askFor(a *agent.Agent, fields []string) {
	a.MaxOutput = maxObjectiveOutput
	if a.Level != ikigai.LevelDefault && a.Level != ikigai.LevelNone {
		a.MaxOutput += maxObjectiveThinking
	}
	a.MaxRetries, a.AskOnce = 0, true
	a.ToolChoice.Mode = ikigai.ToolChoiceNone // a call, which a model may dream up, is an error, not a round
	a.Format = objectiveFormat(fields)
}

// objectivePrompt says what is asked for.
func objectivePrompt(fields []string) string {
	says := map[string]string{
		"objective": "objective: what the last statement is to reach, in one sentence of at most 15 words. ",
		"goal":      "goal: what the conversation as a whole is for, in one sentence of at most 15 words. ",
		"title":     "title: a title of at most 6 words, without a full stop. ",
	}
	prompt := "Read what a person says to a software agent and put into words what they want. Answer with JSON alone, in the person's language. "
	for _, f := range fields {
		prompt += says[f]
	}
	return prompt + "Do not do what they ask."
}

// objectiveFormat returns the form of the answer: an object with some texts.
func objectiveFormat(fields []string) *ikigai.Format {
	type schema struct {
		Type       string            `json:"type"`
		Properties map[string]schema `json:"properties,omitempty"`
		Required   []string          `json:"required,omitempty"`
		More       *bool             `json:"additionalProperties,omitempty"`
	}
	object := schema{Type: "object", Properties: map[string]schema{}, Required: fields, More: new(bool)}
	for _, f := range fields {
		object.Properties[f] = schema{Type: "string"}
	}
	raw, _ := json.Marshal(object) // of strings alone, which always succeeds
	return &ikigai.Format{Name: "objective", Schema: raw}
}

// question returns what a model is asked about a statement: what it is to be
// understood from, and what was said.
func (o *objectives) question(s statementText) string {
	var q strings.Builder
	known := slices.DeleteFunc(o.work.purpose.Objectives(), func(before history.Objective) bool { return before.Statement >= s.seq })
	if len(known) > 0 {
		fmt.Fprintf(&q, "Goal so far: %s\nObjectives so far:\n", o.work.purpose.Goal())
		for _, before := range known[max(len(known)-maxToldObjectives, 0):] {
			fmt.Fprintf(&q, "- %s\n", before.Text)
		}
		q.WriteByte('\n')
	}
	return q.String() + "Statement:\n" + s.text
}

// answered records what a model has answered about a statement, however late. A
// goal that has come since, and a title, stand.
func (o *objectives) answered(s statementText, answer string, fields []string) {
	var texts map[string]any
	if json.Unmarshal([]byte(answer), &texts) != nil {
		return
	}
	o.saying.Lock()
	defer o.saying.Unlock()
	var events []ikigai.Event
	for _, f := range fields {
		text, _ := texts[f].(string)
		d := ikigai.ObjectiveData{By: ikigai.ByModel}
		kind, most := ikigai.KindObjective, maxAimText
		switch f {
		case "objective":
			d.Statement = s.seq
		case "goal":
			kind = ikigai.KindGoal
			if !o.inConversation(s) || o.work.purpose.GoalBy() != history.ByStatement {
				continue
			}
		case "title":
			kind, most = ikigai.KindTitle, maxTitle
			if o.isTitled() {
				continue
			}
		}
		if text = inFewWords(text, most); text != "" {
			events = append(events, ikigai.NewEvent(kind, text, d))
		}
	}
	o.work.agent.Aside(events...)
}

// inConversation reports whether a statement is still part of the conversation.
func (o *objectives) inConversation(s statementText) bool {
	return slices.ContainsFunc(o.work.purpose.Objectives(), func(known history.Objective) bool { return known.Statement == s.seq })
}

func (o *objectives) isTitled() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.titled
}

// inFewWords returns text on one line, in at most so many characters.
func inFewWords(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(ikigai.CleanText(text), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(text) > most {
		text = strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
	}
	return text
}

// settle waits, for a moment at most, for what is still being asked, and then
// ends it. Where ctx has ended, somebody wants to leave, and nothing is waited
// for.
func (o *objectives) settle(ctx context.Context) {
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer crash.Guard()
		o.running.Wait()
	}()
	patience := time.NewTimer(objectivesTime)
	defer patience.Stop()
	select {
	case <-answered:
	case <-patience.C:
	case <-ctx.Done():
	}
	o.stop()
	<-answered // a request that is cancelled ends at once
}
