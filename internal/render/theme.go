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

var dark256Look = look{
	roles: [roles]string{strong: "1", faint: "38;5;245", bad: "38;5;203", good: "38;5;114", warn: "38;5;179", accent: "38;5;80", added: "38;5;114", removed: "38;5;203", match: "1;38;5;179"},
	markdown: markdown.Looks{
		markdown.Title: "1;4;38;5;80", markdown.Heading: "1;38;5;80", markdown.Subheading: "1",
		markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: "38;5;180", markdown.Link: "4;38;5;111", markdown.URL: "38;5;245",
		markdown.Marker: "38;5;80", markdown.Quote: "38;5;248", markdown.Faint: "38;5;242",
		markdown.Comment: "38;5;245", markdown.String: "38;5;114", markdown.Number: "38;5;179", markdown.Keyword: "38;5;176", markdown.Type: "38;5;80",
		markdown.Name: "38;5;111", markdown.Meta: "38;5;176", markdown.Added: "38;5;114", markdown.Removed: "38;5;203",
	},
}

var darkTrueLook = look{
	roles: [roles]string{strong: "1", faint: "38;2;138;143;152", bad: "38;2;240;113;120", good: "38;2;140;200;130", warn: "38;2;222;178;100",
		accent: "38;2;95;205;215", added: "38;2;140;200;130", removed: "38;2;240;113;120", match: "1;38;2;222;178;100"},
	markdown: markdown.Looks{
		markdown.Title: "1;4;38;2;95;205;215", markdown.Heading: "1;38;2;95;205;215", markdown.Subheading: "1",
		markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: "38;2;222;184;135", markdown.Link: "4;38;2;130;170;255",
		markdown.URL:    "38;2;138;143;152",
		markdown.Marker: "38;2;95;205;215", markdown.Quote: "38;2;168;172;180", markdown.Faint: "38;2;108;113;122",
		markdown.Comment: "38;2;138;143;152", markdown.String: "38;2;140;200;130", markdown.Number: "38;2;222;178;100", markdown.Keyword: "38;2;199;146;234",
		markdown.Type: "38;2;95;205;215", markdown.Name: "38;2;130;170;255", markdown.Meta: "38;2;199;146;234",
		markdown.Added: "38;2;140;200;130", markdown.Removed: "38;2;240;113;120",
	},
}

var light256Look = look{
	roles: [roles]string{strong: "1", faint: "38;5;243", bad: "38;5;160", good: "38;5;28", warn: "38;5;130", accent: "38;5;30", added: "38;5;28", removed: "38;5;160", match: "1;38;5;130"},
	markdown: markdown.Looks{
		markdown.Title: "1;4;38;5;30", markdown.Heading: "1;38;5;30", markdown.Subheading: "1",
		markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: "38;5;94", markdown.Link: "4;38;5;25", markdown.URL: "38;5;243",
		markdown.Marker: "38;5;30", markdown.Quote: "38;5;240", markdown.Faint: "38;5;246",
		markdown.Comment: "38;5;243", markdown.String: "38;5;28", markdown.Number: "38;5;130", markdown.Keyword: "38;5;90", markdown.Type: "38;5;30",
		markdown.Name: "38;5;25", markdown.Meta: "38;5;90", markdown.Added: "38;5;28", markdown.Removed: "38;5;160",
	},
}

var lightTrueLook = look{
	roles: [roles]string{strong: "1", faint: "38;2;106;110;120", bad: "38;2;196;32;44", good: "38;2;24;122;40", warn: "38;2;150;92;0",
		accent: "38;2;0;118;130", added: "38;2;24;122;40", removed: "38;2;196;32;44", match: "1;38;2;150;92;0"},
	markdown: markdown.Looks{
		markdown.Title: "1;4;38;2;0;118;130", markdown.Heading: "1;38;2;0;118;130", markdown.Subheading: "1",
		markdown.Strong: "1", markdown.Emphasis: "3", markdown.Strike: "9", markdown.Code: "38;2;134;84;20", markdown.Link: "4;38;2;20;80;180",
		markdown.URL:    "38;2;106;110;120",
		markdown.Marker: "38;2;0;118;130", markdown.Quote: "38;2;88;92;100", markdown.Faint: "38;2;140;144;152",
		markdown.Comment: "38;2;106;110;120", markdown.String: "38;2;24;122;40", markdown.Number: "38;2;150;92;0", markdown.Keyword: "38;2;130;40;150",
		markdown.Type: "38;2;0;118;130", markdown.Name: "38;2;20;80;180", markdown.Meta: "38;2;130;40;150",
		markdown.Added: "38;2;24;122;40", markdown.Removed: "38;2;196;32;44",
	},
}
