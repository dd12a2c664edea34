package markdown

// Role is what a piece of text is, which decides how it looks.
type Role uint8

// The roles. Those from Comment on are of code.
const (
	Plain      Role = iota
	Title           // a heading of the first level
	Heading         // of the second
	Subheading      // of all others
	Strong
	Emphasis
	Strike
	Code // in a line
	Link // the text of a link
	URL
	Marker // of a list item, a quote, a task that is done
	Quote
	Faint // lines of tables, rules, fences
	Comment
	String
	Number
	Keyword
	Type  // a type or a value that the language has
	Name  // of what is called, of a key, a tag, an attribute, a target
	Meta  // directives, decorators, places in a difference
	Added // lines of a difference
	Removed

	Roles // how many there are
)

// Looks are the parameters of the SGR sequence for each role; "" is plain.
type Looks [Roles]string
