package replay

import (
	"encoding/json"

	"ikigai"
)

// isStatement reports whether a run of the loop begins with e.
func isStatement(e ikigai.Event) bool {
	e.Interaction = ikigai.Main // of a side interaction, too
	return e.IsStatement()
}

// remade reports whether the loop makes e anew. All else is input: what the
// person did, and what was found beside the loop.
func remade(e ikigai.Event) bool {
	switch e.Kind {
	case ikigai.KindUser:
		return said(e).By != ikigai.ByShell
	case ikigai.KindAssistant, ikigai.KindToolCall, ikigai.KindToolResult, ikigai.KindThinking, ikigai.KindRequest,
		ikigai.KindUsage, ikigai.KindApproval, ikigai.KindError, ikigai.KindFallback, ikigai.KindQuarantine, ikigai.KindFeedback:
		return true
	case ikigai.KindInterrupted:
		return interrupted(e).Reason != "crash" // that is found when a session is restored
	}
	return false
}

func interrupted(e ikigai.Event) (d ikigai.InterruptedData) {
	_ = e.DecodeData(&d) // what is damaged says nothing
	return d
}

func said(e ikigai.Event) (d ikigai.MessageData) {
	_ = e.DecodeData(&d)
	return d
}

func failure(e ikigai.Event) (d ikigai.ErrorData) {
	_ = e.DecodeData(&d)
	return d
}

func requested(e ikigai.Event) (d ikigai.RequestData) {
	_ = e.DecodeData(&d)
	return d
}

// stops reports whether e is the word that the person stopped the turn.
func stops(e ikigai.Event) bool {
	return e.Kind == ikigai.KindError && failure(e).Kind == ikigai.ErrorCancelled
}

// callOf returns the ID of the call that e is about, or "" where others of its
// kind need not be told apart.
func callOf(e ikigai.Event) string {
	switch e.Kind {
	case ikigai.KindToolResult:
		var d ikigai.ToolResultData
		_ = e.DecodeData(&d)
		return d.ToolCallID
	case ikigai.KindApproval:
		var d ikigai.ApprovalData
		_ = e.DecodeData(&d)
		return d.CallID
	}
	return ""
}

// codeOf returns the code of a failure that a tool result tells of.
func codeOf(e ikigai.Event) ikigai.ToolCode {
	var d ikigai.ToolResultData
	var output struct {
		Code ikigai.ToolCode `json:"error_code"`
	}
	if e.DecodeData(&d) == nil {
		_ = json.Unmarshal([]byte(d.Output), &output) // else it is no failure of ours
	}
	return output.Code
}

// shrinks reports whether e has the conversation sent in fewer words because the
// vendor has found it too long.
func shrinks(e ikigai.Event) bool {
	var d ikigai.ProjectionData
	return e.Kind == ikigai.KindProjection && e.DecodeData(&d) == nil && d.Reason == ikigai.FitRefused
}
