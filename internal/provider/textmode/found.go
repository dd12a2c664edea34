package textmode

import "ikigai"

// found is what a parser has found.
type found []ikigai.Delta

func (f *found) text(text []byte)     { f.add(ikigai.Delta{Text: string(text)}) }
func (f *found) thinking(text []byte) { f.add(ikigai.Delta{Thinking: string(text)}) }

// add adds a piece of text or thinking, joined with the one before it.
func (f *found) add(d ikigai.Delta) {
	if d.Text+d.Thinking == "" {
		return
	}
	if last := len(*f) - 1; last >= 0 && (*f)[last].Call == nil && ((*f)[last].Thinking == "") == (d.Thinking == "") {
		(*f)[last].Text += d.Text
		(*f)[last].Thinking += d.Thinking
		return
	}
	*f = append(*f, d)
}

func (f *found) call(c call) {
	*f = append(*f, ikigai.Delta{Call: &ikigai.CallDelta{Name: c.tool, Arguments: c.arguments}})
}
