package tools

import (
	"fmt"
	"slices"
	"strings"

	"ikigai/internal/process"
)

// shown returns how many bytes of an output are kept.
func shown(o process.Output) int64 {
	n := 0
	for _, p := range o.Pieces {
		n += len(p.Bytes)
	}
	return int64(n)
}

// streamText returns the output of some streams as the model gets it, for a
// result of at most max bytes, and whether anything was cut.
func streamText(o process.Output, max int, streams ...int) (text string, cut bool) {
	var b strings.Builder
	var marks []string
	for _, stream := range streams {
		if cutStream(o, stream) {
			limit := []int{stdoutLimit, stderrLimit}[stream]
			marks = append(marks, fmt.Sprintf("[OUTPUT TRUNCATED - exceeded %dKB limit]", limit>>10))
		}
	}
	for _, run := range runs(o, streams) {
		if run.Gap > 0 {
			endLine(&b)
			b.WriteString("... [" + group(run.Gap) + " more bytes" + whereAll(o) + "] ...\n")
		}
		b.WriteString(clean(run.Bytes))
	}
	if len(marks) > 0 {
		endLine(&b)
		b.WriteString("\n" + strings.Join(marks, "\n"))
	}
	text, cut = limitText(b.String(), max)
	return text, cut || len(marks) > 0
}

func cutStream(o process.Output, stream int) bool {
	for _, p := range o.Pieces {
		if p.Stream == stream && p.Gap > 0 {
			return true
		}
	}
	return false
}

// runs returns the pieces of some streams. Those with nothing left out between
// them are joined, so that what terminals act on is seen whole.
func runs(o process.Output, streams []int) []process.Piece {
	var all []process.Piece
	for _, p := range o.Pieces {
		switch n := len(all) - 1; {
		case !slices.Contains(streams, p.Stream):
		case n >= 0 && all[n].Stream == p.Stream && p.Gap == 0:
			all[n].Bytes = append(all[n].Bytes[:len(all[n].Bytes):len(all[n].Bytes)], p.Bytes...)
		default:
			all = append(all, p)
		}
	}
	return all
}

// whereAll says where the whole output is.
func whereAll(o process.Output) string {
	switch {
	case o.File == "" && o.FileErr == nil:
		return ""
	case o.File == "":
		return fmt.Sprintf(", not kept: %v", cause(o.FileErr))
	case o.FileErr == process.ErrFileFull:
		return ", the first " + size(o.FileBytes) + " of the output in " + o.File
	case o.FileErr != nil:
		return fmt.Sprintf(", the first %s of the output in %s (%v)", size(o.FileBytes), o.File, cause(o.FileErr))
	}
	return ", full output in " + o.File
}

// endLine ends a line that is not ended.
func endLine(b *strings.Builder) {
	if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
		b.WriteByte('\n')
	}
}
