package cli

import (
	"strings"

	"ikigai"
	"ikigai/internal/transcript"
)

// inFront returns what is said to a person who works in a shell as it is said to one
// who sits at the front: there they are in the session already, and type commands of
// the front.
func inFront(text string) string {
	return strings.NewReplacer(
		"Start again with `ikigai run --continue`", "Leave, and start again with `ikigai --continue`",
		"Go on with `ikigai run --continue`", "Say something to go on",
		" with `ikigai run --continue`", "",
		"`ikigai sessions --all`", "/sessions",
		"`ikigai sessions rewind`", "/rewind",
		"`ikigai sessions clear`", "/clear",
		"`ikigai compact`", "/compact",
		"`ikigai commit`", "/commit",
		"`ikigai undo`", "/undo",
		"`ikigai redo`", "/redo",
		"`ikigai tool list`", "/tools",
		"`ikigai log --verbose`", "/log -v",
		"`ikigai log -v`", "/log -v",
		"`ikigai log`", "/log",
		"`ikigai sessions mark NAME`", "/mark NAME",
		" Search those of all directories with --all.", "",
		", or see those of other directories with --all", "",
		`as in: ikigai goal --goal "Ship version 2"`, "as in /goal Ship version 2",
		" with --output", "",
		"with --model or the setting model", "with /model",
		"with --model", "with /model",
		"start a new session", "begin anew with /clear",
		"Start a new session", "Begin anew with /clear",
	).Replace(ofFront(text))
}

// ofFront returns what is said of the command run as it is said of the front, which
// the person has left or did not get to see.
func ofFront(text string) string {
	return strings.NewReplacer(
		"`ikigai run --resume ", "`ikigai --resume ",
		" --fork PROMPT`", " --fork`",
		"`ikigai run PROMPT`", "`ikigai`",
	).Replace(text)
}

// here returns the text of a block as it is said in the front. What others have
// written stays as it is.
func here(b transcript.Block) string {
	if b.Kind != ikigai.KindError {
		return b.Text
	}
	return inFront(b.Text)
}
