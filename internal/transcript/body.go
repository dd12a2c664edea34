package transcript

import (
	"slices"

	"ikigai"
)

// read sets the body of b to what the data of e says, as far as it can be read. What
// only the events before tell of it is still missing.
func (b *Block) read(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindUser, ikigai.KindSystem, ikigai.KindAssistant, ikigai.KindThinking:
		decode[ikigai.MessageData](b, e)
	case ikigai.KindToolCall:
		b.Body = CallOf(called(decode[ikigai.ToolCallData](b, e)))
	case ikigai.KindToolResult:
		r := Result{ToolResultData: decode[ikigai.ToolResultData](b, e)}
		r.Fields = fields(r.Output)
		b.Body = r
	case ikigai.KindTitle, ikigai.KindGoal, ikigai.KindObjective:
		decode[ikigai.ObjectiveData](b, e)
	case ikigai.KindClear:
	default:
		b.readRecord(e)
	}
}

// readRecord is read for what is recorded about the conversation.
func (b *Block) readRecord(e ikigai.Event) {
	switch e.Kind {
	case ikigai.KindSession:
		decode[ikigai.SessionData](b, e)
	case ikigai.KindTools:
		decode[ikigai.ToolsData](b, e)
	case ikigai.KindRequest:
		decode[ikigai.RequestData](b, e)
	case ikigai.KindUsage:
		decode[ikigai.UsageData](b, e)
	case ikigai.KindChange:
		decode[ikigai.ChangeData](b, e)
	case ikigai.KindApproval:
		decode[ikigai.ApprovalData](b, e)
	case ikigai.KindInterrupted:
		decode[ikigai.InterruptedData](b, e)
	case ikigai.KindError:
		decode[ikigai.ErrorData](b, e)
	case ikigai.KindQuarantine:
		decode[ikigai.QuarantineData](b, e)
	case ikigai.KindFallback:
		decode[ikigai.FallbackData](b, e)
	case ikigai.KindRewind:
		decode[ikigai.RewindData](b, e)
	case ikigai.KindFork:
		decode[ikigai.ForkData](b, e)
	case ikigai.KindUndo:
		decode[ikigai.UndoData](b, e)
	case ikigai.KindTrust:
		decode[ikigai.TrustData](b, e)
	case ikigai.KindInteraction:
		decode[ikigai.InteractionData](b, e)
	case ikigai.KindFeedback:
		decode[ikigai.FeedbackData](b, e)
	case ikigai.KindProjection:
		decode[ikigai.ProjectionData](b, e)
	default:
		if len(e.Data) > 0 {
			b.Body = slices.Clone(e.Data)
		}
	}
}

func called(d ikigai.ToolCallData) ikigai.ToolCall {
	return ikigai.ToolCall{ID: d.ID, Name: d.Function.Name, Arguments: d.Function.Arguments}
}

// decode sets the body of b to the data of e, as far as it can be read, and returns
// it.
func decode[T any](b *Block, e ikigai.Event) (d T) {
	if err := e.DecodeData(&d); err != nil {
		b.Damage = err.Error()
	}
	b.Body = d
	return d
}
