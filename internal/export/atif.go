package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"ikigai"
)

// atifVersion is the version of the format whose members are used. What later
// versions added, among it images and trajectories within trajectories, is
// optional, so that their readers take it too.
const atifVersion = "ATIF-v1.5"

// ATIF writes a session as a trajectory in the Agent Trajectory Interchange
// Format, version 1.5, as one line of JSON. The error is that of w or of
// events.
//
// A step is the system prompt, an input of the person, or a reply of the model
// with its calls, their results and what it used. Steps of source "system" also
// say where the conversation was rewound, cleared or forked, or ended with an
// error; "extra" has the kind. Members that have no place in the format are in
// "extra" too. Side interactions are not steps: what they used is in the extra
// of final_metrics, by purpose. The agent stands behind the steps, because the
// tools are known there.
//
// A result of a call that tasks were handed over with refers to their
// interactions, which are no trajectories of their own here; the sum has what
// they used. Feedback stands in the extra of the step whose results it goes with.
func ATIF(w io.Writer, events Events, o Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	t := trajectory{printer: printer{w: out}, o: &o}
	t.print(`{"schema_version":`, encoded(atifVersion), `,"session_id":`, encoded(string(o.Session.ID)), `,"steps":[`)
	for e, err := range events {
		if err != nil {
			return err
		}
		t.event(e)
	}
	t.close()
	t.print(`],"agent":`, encoded(t.agent()), `,"final_metrics":`, encoded(t.final()))
	if notes := t.notes(); notes != "" {
		t.print(`,"notes":`, encoded(notes))
	}
	t.print("}\n")
	if t.err != nil {
		return t.err
	}
	return out.Flush()
}

type atifAgent struct {
	Name    string     `json:"name"`
	Version string     `json:"version"`
	Model   string     `json:"model_name,omitempty"`
	Tools   []atifTool `json:"tool_definitions,omitempty"`
}

type atifTool struct {
	Type     string          `json:"type"`
	Function ikigai.ToolSpec `json:"function"`
}

type atifStep struct {
	ID          int              `json:"step_id"`
	Time        string           `json:"timestamp"`
	Source      string           `json:"source"`
	Model       string           `json:"model_name,omitempty"`
	Message     string           `json:"message"`
	Reasoning   string           `json:"reasoning_content,omitempty"`
	Calls       []atifCall       `json:"tool_calls,omitempty"`
	Observation *atifObservation `json:"observation,omitempty"`
	Metrics     *atifMetrics     `json:"metrics,omitempty"`
	Extra       map[string]any   `json:"extra,omitempty"`
}

type atifCall struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"`
}

type atifObservation struct {
	Results []atifResult `json:"results"`
}

type atifResult struct {
	CallID  string    `json:"source_call_id,omitempty"`
	Content string    `json:"content"`
	Tasks   []atifRef `json:"subagent_trajectory_ref,omitempty"`
}

// atifRef refers to the trajectory of a task, as versions before 1.7 do and that
// one: there the path must be set, which may be a name in a database.
type atifRef struct {
	Session string         `json:"session_id"`
	Path    string         `json:"trajectory_path"`
	Extra   map[string]any `json:"extra,omitempty"`
}

type atifMetrics struct {
	Prompt     int64            `json:"prompt_tokens"`
	Completion int64            `json:"completion_tokens"`
	Cached     int64            `json:"cached_tokens,omitempty"`
	Cost       *float64         `json:"cost_usd,omitempty"`
	Extra      map[string]int64 `json:"extra,omitempty"`
}

type atifFinal struct {
	Prompt     int64          `json:"total_prompt_tokens"`
	Completion int64          `json:"total_completion_tokens"`
	Cached     int64          `json:"total_cached_tokens"`
	Cost       *float64       `json:"total_cost_usd,omitempty"`
	Steps      int            `json:"total_steps"`
	Extra      map[string]any `json:"extra,omitempty"`
}

// trajectory is the fold from events to steps. It holds one step.
type trajectory struct {
	printer
	o       *Options
	steps   int
	step    *atifStep // a reply that may go on; nil if none is open
	closing bool      // what comes next of a reply is another one's
	model   string    // of the session
	sending string    // of the request that the next reply answers
	tools   []ikigai.ToolSpec
	totals  totals
	sides   map[string]*totals   // by purpose
	purpose map[string]string    // of side interactions
	tasks   map[string][]atifRef // by the call that handed them over, until its result
}

func (t *trajectory) event(e ikigai.Event) {
	if e.Interaction != ikigai.Main && e.Interaction != "" {
		t.beside(e)
		return
	}
	switch e.Kind {
	case ikigai.KindSession:
		var d ikigai.SessionData
		_ = e.DecodeData(&d) // damaged data leaves the model unknown
		t.model = d.Model
	case ikigai.KindTools:
		var d ikigai.ToolsData
		_ = e.DecodeData(&d)
		t.tools = d.Tools
	case ikigai.KindRequest:
		var d ikigai.RequestData
		_ = e.DecodeData(&d)
		t.sending, t.closing = d.Model, true
	case ikigai.KindSystem:
		t.single(e, "system")
	case ikigai.KindUser:
		t.single(e, "user")
	case ikigai.KindThinking, ikigai.KindAssistant, ikigai.KindInterrupted, ikigai.KindToolCall:
		t.reply(e)
	case ikigai.KindToolResult:
		t.result(e)
	case ikigai.KindUsage:
		t.usage(e)
	case ikigai.KindError, ikigai.KindRewind, ikigai.KindClear, ikigai.KindFork, ikigai.KindMark,
		ikigai.KindQuarantine, ikigai.KindFallback, ikigai.KindProjection:
		t.record(e)
	case ikigai.KindFeedback:
		if t.step != nil {
			t.step.attach("feedback", t.o.redact(e.Content))
		}
	}
}

// begin closes the open step and returns the next one.
func (t *trajectory) begin(e ikigai.Event, source string) *atifStep {
	t.close()
	t.steps++
	t.closing = false
	t.step = &atifStep{ID: t.steps, Time: e.Time.Time().UTC().Format(time.RFC3339Nano), Source: source}
	return t.step
}

// close writes the open step.
func (t *trajectory) close() {
	if t.step == nil {
		return
	}
	if t.step.ID > 1 {
		t.print(",")
	}
	t.print(encoded(t.step))
	t.step = nil
}

// single writes a step that one event is the whole of.
func (t *trajectory) single(e ikigai.Event, source string) {
	s := t.begin(e, source)
	s.Message = t.o.redact(e.Content)
	var d ikigai.MessageData
	if e.DecodeData(&d) == nil {
		s.attach("parts", t.parts(d.Parts))
		if d.By != "" {
			s.attach("by", d.By)
		}
	}
	t.close()
}

// record writes what happened to the conversation as a step of the system.
func (t *trajectory) record(e ikigai.Event) {
	s := t.begin(e, "system")
	s.Message = t.o.redact(said(e))
	s.attach("kind", string(e.Kind))
	if json.Valid(e.Data) {
		s.attach("data", json.RawMessage(redactJSON(e.Data, t.o.redact)))
	}
	t.close()
}

// said returns what an event that is no message says.
func said(e ikigai.Event) string {
	switch e.Kind {
	case ikigai.KindClear:
		return cleared
	case ikigai.KindRewind:
		var d ikigai.RewindData
		_ = e.DecodeData(&d) // what cannot be read stays empty
		return rewound(d)
	case ikigai.KindFork:
		var d ikigai.ForkData
		_ = e.DecodeData(&d)
		return forked(d)
	}
	return e.Content
}

// reply takes in a piece of a reply.
func (t *trajectory) reply(e ikigai.Event) {
	s := t.step
	if s == nil || t.closing {
		s = t.begin(e, "agent")
		if t.sending != t.model {
			s.Model = t.sending
		}
	}
	switch e.Kind {
	case ikigai.KindThinking:
		s.Reasoning = joined(s.Reasoning, t.o.redact(e.Content))
	case ikigai.KindAssistant:
		s.Message = joined(s.Message, t.o.redact(e.Content))
	case ikigai.KindInterrupted:
		var d ikigai.InterruptedData
		_ = e.DecodeData(&d)
		s.Message = joined(s.Message, t.o.redact(e.Content))
		s.Reasoning = joined(s.Reasoning, t.o.redact(d.Thinking))
		s.attach("interrupted", t.o.redact(d.Reason))
	case ikigai.KindToolCall:
		t.call(e, s)
	}
}

func (t *trajectory) call(e ikigai.Event, s *atifStep) {
	t.totals.calls++
	var d ikigai.ToolCallData
	if err := e.DecodeData(&d); err != nil {
		s.attach("damaged", err.Error())
		return
	}
	s.Calls = append(s.Calls, atifCall{d.ID, t.o.redact(d.Function.Name), t.arguments(d.Function.Arguments)})
}

// arguments returns the arguments of a call as the object that the format asks
// for. Text that is none is kept inside one.
func (t *trajectory) arguments(text string) json.RawMessage {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return json.RawMessage("{}")
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return redactJSON([]byte(trimmed), t.o.redact)
	}
	return json.RawMessage(encoded(map[string]string{"invalid_json": t.o.redact(text)}))
}

// result adds a result to the step of its call. One whose call is not there
// names none, as the format wants it.
func (t *trajectory) result(e ikigai.Event) {
	var d ikigai.ToolResultData
	err := e.DecodeData(&d)
	if t.step == nil {
		t.begin(e, "agent")
	}
	s := t.step
	t.closing = true
	r := atifResult{Content: t.o.redact(d.Output), Tasks: t.tasks[d.ToolCallID]}
	delete(t.tasks, d.ToolCallID)
	if s.calls(d.ToolCallID) {
		r.CallID = d.ToolCallID
	}
	if s.Observation == nil {
		s.Observation = &atifObservation{}
	}
	s.Observation.Results = append(s.Observation.Results, r)
	if err != nil {
		s.attach("damaged", err.Error())
		return
	}
	about := map[string]any{"tool_call_id": d.ToolCallID, "success": d.Success, "ms": d.Millis}
	if d.Note != "" {
		about["note"] = t.o.redact(d.Note)
	}
	if parts := t.parts(d.Parts); parts != nil {
		about["parts"] = parts
	}
	list, _ := s.Extra["results"].([]any)
	s.attach("results", append(list, about))
}

func (s *atifStep) calls(id string) bool {
	for _, c := range s.Calls {
		if c.ID == id {
			return true
		}
	}
	return false
}

// usage adds what a reply used to its step. More of a reply does not follow.
func (t *trajectory) usage(e ikigai.Event) {
	var d ikigai.UsageData
	if e.DecodeData(&d) != nil {
		return
	}
	t.totals.addUsage(e)
	s := t.step
	if s == nil || s.Source != "agent" || s.Metrics != nil {
		s = t.begin(e, "agent") // of a reply without content
	}
	if s.Model == "" && d.Model != t.model {
		s.Model = d.Model
	}
	s.Metrics = &atifMetrics{
		Prompt: d.Input, Completion: d.Output, Cached: d.CacheRead, Cost: inDollars(d.Cost),
		Extra: map[string]int64{},
	}
	for name, n := range map[string]int64{
		"cache_write_tokens": d.CacheWrite, "reasoning_tokens": d.Reasoning,
		"first_ms": d.FirstMillis, "total_ms": d.TotalMillis,
	} {
		if n > 0 {
			s.Metrics.Extra[name] = n
		}
	}
	if d.Stop != "" {
		s.attach("stop", string(d.Stop))
	}
	t.closing = true
}

func (t *trajectory) beside(e ikigai.Event) {
	if t.sides == nil {
		t.sides, t.purpose, t.tasks = map[string]*totals{}, map[string]string{}, map[string][]atifRef{}
	}
	if e.Kind == ikigai.KindInteraction {
		t.begins(e)
	}
	purpose := cmp.Or(t.purpose[e.Interaction], e.Interaction)
	side := t.sides[purpose]
	if side == nil {
		side = &totals{}
		t.sides[purpose] = side
	}
	side.add(e)
}

// begins takes in the first event of a side interaction.
func (t *trajectory) begins(e ikigai.Event) {
	var d ikigai.InteractionData
	_ = e.DecodeData(&d) // damaged, it has no purpose
	t.purpose[e.Interaction] = t.o.redact(string(d.Purpose))
	if d.CallID != "" && (d.Parent == ikigai.Main || d.Parent == "") {
		name := string(t.o.Session.ID) + "/" + t.o.redact(e.Interaction)
		t.tasks[d.CallID] = append(t.tasks[d.CallID], atifRef{
			Session: name, Path: "ikigai:" + name,
			Extra: map[string]any{"purpose": d.Purpose, "title": t.o.redact(e.Content), "model": d.Model},
		})
	}
}

// part is an image or a file as extra describes it.
type part struct {
	Type  ikigai.PartType `json:"type"`
	Media string          `json:"media_type,omitempty"`
	Name  string          `json:"name,omitempty"`
	Text  string          `json:"text,omitempty"`
	Hash  string          `json:"sha256,omitempty"`
}

func (t *trajectory) parts(parts []ikigai.Part) any {
	if len(parts) == 0 {
		return nil
	}
	list := make([]part, len(parts))
	for i, p := range parts {
		list[i] = part{p.Type, p.Media, t.o.redact(p.Name), t.o.redact(p.Text), p.Blob}
	}
	return list
}

func (s *atifStep) attach(name string, value any) {
	if value == nil {
		return
	}
	if s.Extra == nil {
		s.Extra = map[string]any{}
	}
	s.Extra[name] = value
}

func (t *trajectory) agent() atifAgent {
	name, version, _ := strings.Cut(t.o.By, " ")
	if name == "" {
		name = "ikigai"
	}
	if version == "" {
		version = "unknown"
	}
	a := atifAgent{Name: name, Version: version, Model: t.model}
	for _, spec := range t.tools {
		if json.Valid(spec.Schema) {
			spec.Schema = redactJSON(spec.Schema, t.o.redact)
		} else {
			spec.Schema = json.RawMessage("{}")
		}
		spec.Description = t.o.redact(spec.Description)
		a.Tools = append(a.Tools, atifTool{"function", spec})
	}
	return a
}

func (t *trajectory) final() atifFinal {
	f := atifFinal{
		Prompt: t.totals.usage.Input, Completion: t.totals.usage.Output, Cached: t.totals.usage.CacheRead, Steps: t.steps,
	}
	if t.totals.priced > 0 {
		f.Cost = inDollars(&t.totals.cost)
	}
	if len(t.sides) > 0 {
		sides := map[string]any{}
		for name, s := range t.sides {
			sides[t.o.redact(name)] = map[string]any{
				"replies": s.replies, "prompt_tokens": s.usage.Input, "completion_tokens": s.usage.Output, "tool_calls": s.calls,
				"cost_usd": float64(s.cost) / 1e6,
			}
		}
		f.Extra = map[string]any{"side_interactions": sides}
	}
	return f
}

func (t *trajectory) notes() string {
	if t.totals.priced < t.totals.replies {
		return fmt.Sprintf("The price of %d of %d replies is not known.", t.totals.replies-t.totals.priced, t.totals.replies)
	}
	return ""
}

func inDollars(millionths *int64) *float64 {
	if millionths == nil {
		return nil
	}
	d := float64(*millionths) / 1e6
	return &d
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}
