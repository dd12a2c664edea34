package history

import "ikigai"

// Kept returns those results of tools that are sent trimmed now, with the name of
// the file that is to hold them whole.
func (l *Line) Kept() (all []ikigai.TrimmedResult) {
	if len(l.now.trimmed) == 0 {
		return nil
	}
	for _, seq := range l.now.origins {
		if t, ok := l.now.trimmed[seq]; ok && t.File != "" {
			all = append(all, t.TrimmedResult)
		}
	}
	return all
}

// Output returns what a tool has said, as a file holds it where less of it is
// sent; false if event seq is no result.
func (l *Line) Output(seq ikigai.Seq) (string, bool) {
	s, ok := l.stepOf(seq)
	if !ok || s.message.Result == nil {
		return "", false
	}
	return bodyOf(ikigai.CleanText(s.message.Result.Output)).text, true
}
