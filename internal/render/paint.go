package render

// The styles of text that stands beside blocks, in the colours of the theme. The
// text is safe and holds no newline.
func (s Style) Strong(text string) string { return s.paint(strong, text) }
func (s Style) Faint(text string) string  { return s.paint(faint, text) }
func (s Style) Accent(text string) string { return s.paint(accent, text) }
func (s Style) Good(text string) string   { return s.paint(good, text) }
func (s Style) Bad(text string) string    { return s.paint(bad, text) }
func (s Style) Warn(text string) string   { return s.paint(warn, text) }
