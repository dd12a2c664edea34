package tools

import (
	"errors"
	"fmt"
	"regexp/syntax"

	"ikigai"
	"ikigai/internal/match"
)

// compile compiles the pattern of a search.
func compile(pattern string, ignoreCase bool) (*match.Pattern, *ikigai.Result) {
	p, err := match.Compile(pattern, ignoreCase)
	if err == nil {
		return p, nil
	}
	what := fmt.Sprintf("Bad pattern %s: %v", display(pattern), err)
	do := `Write an RE2 regular expression, with \ before ( ) [ ] { } . * + ? | meant as themselves; it has no lookaround and no backreferences`
	var fault *syntax.Error
	if errors.As(err, &fault) {
		what = fmt.Sprintf("Bad pattern: %s at %s", fault.Code, display(fault.Expr))
	}
	if errors.Is(err, match.ErrLineBreak) {
		what = "Bad pattern: a line break in it can match nothing, for lines are matched one by one"
		do = "Search for a part that is on one line, and use context to see the lines around it"
	}
	failure := ikigai.Failure(codeBadPattern, what, do)
	return nil, &failure
}
