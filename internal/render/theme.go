package render

import "ikigai/internal/markdown"

// Theme names a choice of colours.
type Theme string

// The themes.
const (
	ThemeTerminal Theme = "terminal" // the terminal's own sixteen colours, whatever they are
	ThemeDark     Theme = "dark"     // for dark ground, on terminals with 256 colours and more
	ThemeLight    Theme = "light"    // for light ground, likewise
	ThemeMono     Theme = "mono"     // bold, dim and reverse alone
)

// Depth is how many colours a terminal has.
type Depth uint8

// The depths.
const (
	Depth16 Depth = iota
	Depth256
	TrueColor
)

// role is what a piece of text is for, which decides how it looks.
type role uint8

const (
	plain role = iota
	strong
	faint
	bad
	good
	warn
	accent
	added   // line of a difference
	removed // likewise
	match   // what a search found
	roles
)

// look is how a theme shows things, as parameters of SGR sequences. No theme sets
// a ground.
type look struct {
	roles    [roles]string
	markdown markdown.Looks
}

// look returns how things look in the theme of s.
func (s Style) look() *look {
	switch {
	case s.Theme == ThemeMono:
		return &monoLook
	case s.Theme == ThemeDark && s.Depth == TrueColor:
		return &darkTrueLook
	case s.Theme == ThemeDark && s.Depth == Depth256:
		return &dark256Look
	case s.Theme == ThemeLight && s.Depth == TrueColor:
		return &lightTrueLook
	case s.Theme == ThemeLight && s.Depth == Depth256:
		return &light256Look
	}
	return &terminalLook
}

// terminalLook has colours that can be read on light and on dark ground.
var terminalLook = look{
	roles: [roles]string{strong: "1", faint: "2", bad: "31", good: "32", warn: "33", accent: "36", added: "32", removed: "31", match: "1;33"},
	markdown: markdown.Looks{
		markdown.Title: "1;4", markdown.Heading: "1", markdown.Subheading: "1;2",
		markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: "36", markdown.Link: "4", markdown.URL: "2",
		markdown.Marker: "36", markdown.Quote: "2", markdown.Faint: "2",
		markdown.Comment: "2", markdown.String: "32", markdown.Number: "33", markdown.Keyword: "35", markdown.Type: "36",
		markdown.Name: "34", markdown.Meta: "35", markdown.Added: "32", markdown.Removed: "31",
	},
}

var monoLook = look{
	roles: [roles]string{strong: "1", faint: "2", bad: "1", good: "1", warn: "7", accent: "1", added: "1", removed: "2", match: "7"},
	markdown: markdown.Looks{
		markdown.Title: "1;7", markdown.Heading: "1", markdown.Subheading: "1;2",
		markdown.Strong: "1", markdown.Emphasis: "1;2", markdown.Strike: "2", markdown.Code: "1", markdown.Link: "1", markdown.URL: "2",
		markdown.Marker: "1", markdown.Quote: "2", markdown.Faint: "2",
		markdown.Comment: "2", markdown.Keyword: "1", markdown.Meta: "1", markdown.Added: "1", markdown.Removed: "2",
	},
}

// palette is the colours of a theme of its own, as parameters of SGR sequences.
type palette struct {
	red, green, yellow, cyan, blue, purple, brown string
	soft, faint, faintest                         string // greys
}

var (
	dark256Look = palette{red: "38;5;203", green: "38;5;114", yellow: "38;5;179", cyan: "38;5;80", blue: "38;5;111", purple: "38;5;176",
		brown: "38;5;180", soft: "38;5;248", faint: "38;5;245", faintest: "38;5;242"}.look()
	darkTrueLook = palette{red: "38;2;240;113;120", green: "38;2;140;200;130", yellow: "38;2;222;178;100", cyan: "38;2;95;205;215",
		blue: "38;2;130;170;255", purple: "38;2;199;146;234", brown: "38;2;222;184;135", soft: "38;2;168;172;180", faint: "38;2;138;143;152",
		faintest: "38;2;108;113;122"}.look()
	light256Look = palette{red: "38;5;160", green: "38;5;28", yellow: "38;5;130", cyan: "38;5;30", blue: "38;5;25", purple: "38;5;90",
		brown: "38;5;94", soft: "38;5;240", faint: "38;5;243", faintest: "38;5;246"}.look()
	lightTrueLook = palette{red: "38;2;196;32;44", green: "38;2;24;122;40", yellow: "38;2;150;92;0", cyan: "38;2;0;118;130",
		blue: "38;2;20;80;180", purple: "38;2;130;40;150", brown: "38;2;134;84;20", soft: "38;2;88;92;100", faint: "38;2;106;110;120",
		faintest: "38;2;140;144;152"}.look()
)

// look returns how things look in the colours of p.
func (p palette) look() look {
	return look{
		roles: [roles]string{strong: "1", faint: p.faint, bad: p.red, good: p.green, warn: p.yellow, accent: p.cyan,
			added: p.green, removed: p.red, match: "1;" + p.yellow},
		markdown: markdown.Looks{
			markdown.Title: "1;4;" + p.cyan, markdown.Heading: "1;" + p.cyan, markdown.Subheading: "1",
			markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: p.brown, markdown.Link: "4;" + p.blue, markdown.URL: p.faint,
			markdown.Marker: p.cyan, markdown.Quote: p.soft, markdown.Faint: p.faintest,
			markdown.Comment: p.faint, markdown.String: p.green, markdown.Number: p.yellow, markdown.Keyword: p.purple, markdown.Type: p.cyan,
			markdown.Name: p.blue, markdown.Meta: p.purple, markdown.Added: p.green, markdown.Removed: p.red,
		},
	}
}
