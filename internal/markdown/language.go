package markdown

import "strings"

// language is what is known of a programming language.
type language struct {
	names    string // by which fences call it, with a space around each
	keywords string // with spaces between them
	types    string // names of types and values, likewise
	letters  string // that words hold beside letters, digits and _
	quotes   []quote
	flags    flags
	// separator has the characters of which one stands behind the key that a line
	// begins with.
	separator string
	// lines writes a line of a language that is not made of words and quotes.
	lines func(c *code, k *ink, text string)
}

// quote is a comment or a quoted text.
type quote struct {
	open, close string // a close of "" is the end of the line
	role        Role
	lines       bool // it may go over several lines
	escape      bool // a backslash takes away the meaning of what follows
	nests       bool
	where       where
}

// where is where a quote may begin.
type where uint8

const (
	anywhere where = iota
	atLineStart
	atWordStart
	aroundRune // only if it holds one character: Rust's ' begins lifetimes, too
)

// flags are further properties of a language.
type flags uint16

const (
	caseless    flags = 1 << iota // keywords are of either case
	variables                     // $name
	dollarCalls                   // $(name)
	decorators                    // @name
	directives                    // #name at the beginning of a line
	heredocs                      // <<WORD
	threeArrows                   // and it is <<<WORD
	sections                      // [name] at the beginning of a line
	keys                          // what stands before a colon
)

func (l *language) has(f flags) bool { return l.flags&f != 0 }

// languageOf returns the language of a name, nil if nobody knows it.
func languageOf(name string) *language {
	if name == "" || strings.Contains(name, " ") {
		return nil
	}
	for i := range languages {
		if l := &languages[i]; strings.Contains(l.names, " "+name+" ") {
			return l
		}
	}
	return nil
}

// Comments and quotes that several languages have.
var (
	slashes   = quote{open: "//", role: Comment}
	hash      = quote{open: "#", role: Comment}
	wordHash  = quote{open: "#", role: Comment, where: atWordStart}
	dashes    = quote{open: "--", role: Comment}
	slashStar = quote{open: "/*", close: "*/", role: Comment, lines: true}
	double    = quote{open: `"`, close: `"`, role: String, escape: true}
	single    = quote{open: "'", close: "'", role: String, escape: true}
	doubles   = quote{open: `"`, close: `"`, role: String, escape: true, lines: true}
	singles   = quote{open: "'", close: "'", role: String, escape: true, lines: true}
	triple    = quote{open: `"""`, close: `"""`, role: String, escape: true, lines: true}
	triples   = quote{open: "'''", close: "'''", role: String, escape: true, lines: true}
	backs     = quote{open: "`", close: "`", role: String, escape: true, lines: true}
	rawBacks  = quote{open: "`", close: "`", role: String, lines: true}
)
