package cli

import "testing"

// What there is to do is said in words that fit the place where they are read.
func TestWordsOfTheFront(t *testing.T) {
	for text, want := range map[string]string{
		"The turn was stopped. Go on with `ikigai run --continue`.":                                       "The turn was stopped. Say something to go on.",
		"The model answered with nothing. Ask again with `ikigai run --continue`, or choose one":          "The model answered with nothing. Ask again, or choose one",
		"Images are away. Ask again with `ikigai run --continue` when the store answers.":                 "Images are away. Ask again when the store answers.",
		"It takes no more. Start again with `ikigai run --continue`.":                                     "It takes no more. Leave, and start again with `ikigai --continue`.",
		"b has answered last. Choose with --model.":                                                       "b has answered last. Choose with /model.",
		"go back with `ikigai sessions rewind`, or choose":                                                "go back with /rewind, or choose",
		"There is no session x. See `ikigai sessions --all` for those there are.":                         "There is no session x. See /sessions for those there are.",
		"go on there with `ikigai run --resume 01a1f9ef`.":                                                "go on there with `ikigai --resume 01a1f9ef`.",
		"go on in a copy of it with `ikigai run --resume 01a1 --fork PROMPT`, or wait":                    "go on in a copy of it with `ikigai --resume 01a1 --fork`, or wait",
		"The session has no event 9. Its events are 1 to 7; `ikigai log -v` shows their numbers.":         "The session has no event 9. Its events are 1 to 7; /log -v shows their numbers.",
		"Nothing was found in the sessions of /w. Search those of all directories with --all.":            "Nothing was found in the sessions of /w.",
		"The message cannot be written. Run `ikigai commit` again.":                                       "The message cannot be written. Run /commit again.",
		"The file x cannot be written: no. Name another one with --output.":                               "The file x cannot be written: no. Name another one.",
		"Set one with `ikigai sessions mark NAME`, or give the number of an event, which `ikigai log -v`": "Set one with /mark NAME, or give the number of an event, which /log -v",
	} {
		if got := inFront(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
	if got := ofFront("There is no session here yet. Begin one with `ikigai run PROMPT`, or see `ikigai sessions --all`."); got != "There is no session here yet. Begin one with `ikigai`, or see `ikigai sessions --all`." {
		t.Errorf("after the front: %s", got)
	}
}
