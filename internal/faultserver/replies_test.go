package faultserver_test

import (
	"strings"

	"ikigai/internal/faultserver"
)

// reply is a stream of one interface, in events.
type reply struct {
	before []string // who answers: nothing that anybody acts upon
	first  string   // the first piece of text
	more   []string // more text, or a call
	end    []string // what makes it whole
}

func (r reply) String() string { return r.start() + strings.Join(r.more, "") + strings.Join(r.end, "") }

// start returns what comes up to the first piece of text.
func (r reply) start() string { return strings.Join(r.before, "") + r.first }

// Places in the stream, as numbers of bytes.
func (r reply) nothing() int { return len(strings.Join(r.before, "")) }
func (r reply) begun() int   { return len(r.start()) }
func (r reply) ending() int  { return len(r.start() + strings.Join(r.more, "")) }
func (r reply) middle() int  { return (r.begun() + r.ending()) / 2 }

// event returns a server-sent event.
func event(name, data string) string {
	if name == "" {
		return "data: " + data + "\n\n"
	}
	return "event: " + name + "\ndata: " + data + "\n\n"
}

// typed returns an event that says itself what it is.
func typed(name, members string) string {
	return event(name, `{"type":"`+name+`",`+members+`}`)
}

// calling returns a reply that says "I look. " and calls count with {"by":1}.
func calling(api faultserver.API) reply {
	switch api {
	case faultserver.Anthropic:
		r := anthropicReply("I look. ", "tool_use")
		r.more = []string{
			typed("content_block_stop", `"index":0`),
			typed("content_block_start", `"index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"count","input":{}}`),
			typed("content_block_delta", `"index":1,"delta":{"type":"input_json_delta","partial_json":"{\"by\""}`),
			typed("content_block_delta", `"index":1,"delta":{"type":"input_json_delta","partial_json":":1}"}`),
			typed("content_block_stop", `"index":1`),
		}
		return r
	case faultserver.OpenAIResponses:
		const call = `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"count","status":"completed","arguments":"{\"by\":1}"}`
		r := responsesReply("I look. ", "I look. ", call)
		r.more = []string{
			messageDone("I look. "),
			typed("response.output_item.added", `"output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"count","arguments":""}`),
			typed("response.function_call_arguments.delta", `"output_index":1,"item_id":"fc_1","delta":"{\"by\""`),
			typed("response.function_call_arguments.delta", `"output_index":1,"item_id":"fc_1","delta":":1}"`),
			typed("response.output_item.done", `"output_index":1,"item":`+call),
		}
		return r
	case faultserver.Gemini:
		r := geminiReply("I look. ")
		r.more = []string{geminiChunk(`{"functionCall":{"name":"count","args":{"by":1}}}`, "")}
		return r
	}
	r := openaiReply("I look. ", "tool_calls")
	r.more = []string{
		openaiChunk(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"count","arguments":""}}]}`, "null"),
		openaiChunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"by\""}}]}`, "null"),
		openaiChunk(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`, "null"),
	}
	return r
}

// answering returns a reply that says "It is done."
func answering(api faultserver.API) reply {
	switch api {
	case faultserver.Anthropic:
		r := anthropicReply("It is ", "end_turn")
		r.more = []string{
			typed("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"done."}`),
			typed("content_block_stop", `"index":0`),
		}
		return r
	case faultserver.OpenAIResponses:
		r := responsesReply("It is ", "It is done.")
		r.more = []string{typed("response.output_text.delta", `"output_index":0,"content_index":0,"item_id":"msg_1","delta":"done."`), messageDone("It is done.")}
		return r
	case faultserver.Gemini:
		r := geminiReply("It is ")
		r.more = []string{geminiChunk(`{"text":"done."}`, "")}
		return r
	}
	r := openaiReply("It is ", "stop")
	r.more = []string{openaiChunk(`{"content":"done."}`, "null")}
	return r
}

func openaiChunk(delta, finish string) string {
	return event("", `{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}]}`)
}

func openaiReply(text, finish string) reply {
	return reply{
		before: []string{openaiChunk(`{"role":"assistant","content":""}`, "null")},
		first:  openaiChunk(`{"content":"`+text+`"}`, "null"),
		end: []string{
			openaiChunk("{}", `"`+finish+`"`),
			event("", `{"id":"c1","model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}`),
			event("", "[DONE]"),
		},
	}
}

func anthropicReply(text, finish string) reply {
	return reply{
		before: []string{
			typed("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}`),
			event("ping", `{"type":"ping"}`),
			typed("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`),
		},
		first: typed("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"`+text+`"}`),
		end: []string{
			typed("message_delta", `"delta":{"stop_reason":"`+finish+`","stop_sequence":null},"usage":{"output_tokens":3}`),
			event("message_stop", `{"type":"message_stop"}`),
		},
	}
}

func responsesReply(first, whole string, more ...string) reply {
	output := strings.Join(append([]string{message(whole)}, more...), ",")
	return reply{
		before: []string{
			typed("response.created", `"response":{"id":"resp_1","object":"response","model":"m","status":"in_progress","output":[]}`),
			typed("response.output_item.added", `"output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}`),
			typed("response.content_part.added", `"output_index":0,"content_index":0,"item_id":"msg_1","part":{"type":"output_text","text":""}`),
		},
		first: typed("response.output_text.delta", `"output_index":0,"content_index":0,"item_id":"msg_1","delta":"`+first+`"`),
		end: []string{typed("response.completed",
			`"response":{"id":"resp_1","object":"response","model":"m","status":"completed","output":[`+output+`],"usage":{"input_tokens":9,"output_tokens":3}}`)},
	}
}

func message(text string) string {
	return `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
}

func messageDone(text string) string {
	return typed("response.output_item.done", `"output_index":0,"item":`+message(text))
}

func geminiChunk(part, more string) string {
	return event("", `{"candidates":[{"content":{"parts":[`+part+`],"role":"model"},"index":0`+more+`}],"modelVersion":"m","responseId":"r1"}`)
}

func geminiReply(text string) reply {
	return reply{
		before: []string{event("", `{"usageMetadata":{"promptTokenCount":9},"modelVersion":"m","responseId":"r1"}`)},
		first:  geminiChunk(`{"text":"`+text+`"}`, ""),
		end:    []string{geminiChunk(`{"text":""}`, `,"finishReason":"STOP"`)},
	}
}
