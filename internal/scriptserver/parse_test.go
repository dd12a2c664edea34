package scriptserver

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ikigai"
)

// everything uses each part of the format.
const everything = `# A comment.
model: tiny-1
context: 4000
chunk: 8
delay: 1ms

user: What is in src/?
think: The person wants a list.
say: I look.
call: bash {"command": "ls -la src/"}

reply:
expect: main.c
expect-not: /^No such/
repeat: 3
chunk: all
delay: 20ms 3ms
fault: status 429 times 2
  retry-after: 1

  {"error": {"message": "slow down"}}
fault: cut after 3 times 1
fault: error
  overloaded
say:
  The files:

    {{output /(\S+\.c)/ - $1}}
  # no comment, for it is indented
  {{"{{"}} and {{result[1].exit_code}} and {{fill 10}} and {{n}} and {{user}}
call: file_write
  {
    "path": "a{{n}}"
call: noargs
finish: length
usage: input 120 output 30 cached 100 reasoning 10

user: /^sum (\d+)$/
say:
usage: none

user: *
fault: hang

side: objective /Fix (it|that)/
say: fix
side: objective
say: {"goal": "g"}
side: task Read
    two files
call: bash {}
reply:
expect-feedback: Turn 1/50
expect-feedback: /Used: bash/
say: {{feedback /Turn (.*)/ $1}}
`

func everythingParsed() *Script {
	return &Script{
		Name: "all.script", Model: "tiny-1", Context: 4000, Chunk: 8, Delay: &Delay{First: time.Millisecond},
		All: []Statement{{
			Line: 7, User: "What is in src/?",
			Replies: []Reply{{
				Line: 7, Think: "The person wants a list.", Say: "I look.",
				Calls: []Call{{Name: "bash", Arguments: `{"command": "ls -la src/"}`}},
			}, {
				Line:   12,
				Expect: []Pattern{"main.c"}, ExpectNot: []Pattern{"/^No such/"},
				Repeat: 3, Chunk: -1, Delay: &Delay{First: 20 * time.Millisecond, Between: 3 * time.Millisecond},
				Faults: []Fault{
					{Kind: FaultStatus, Status: 429, Times: 2, Detail: "retry-after: 1\n\n{\"error\": {\"message\": \"slow down\"}}"},
					{Kind: FaultCut, After: 3, Times: 1},
					{Kind: FaultError, Detail: "overloaded"},
				},
				Say: "The files:\n\n  {{output /(\\S+\\.c)/ - $1}}\n# no comment, for it is indented\n" +
					`{{"{{"}} and {{result[1].exit_code}} and {{fill 10}} and {{n}} and {{user}}`,
				Calls:  []Call{{Name: "file_write", Arguments: "{\n  \"path\": \"a{{n}}\""}, {Name: "noargs"}},
				Finish: "length",
				Usage:  &ikigai.Usage{Input: 120, Output: 30, CacheRead: 100, Reasoning: 10},
			}},
		}, {
			Line: 38, User: `/^sum (\d+)$/`, Replies: []Reply{{Line: 38, NoUsage: true}},
		}, {
			Line: 42, User: "*", Replies: []Reply{{Line: 42, Faults: []Fault{{Kind: FaultHang}}}},
		}, {
			Line: 45, Side: ikigai.PurposeObjective, User: "/Fix (it|that)/", Replies: []Reply{{Line: 45, Say: "fix"}},
		}, {
			Line: 47, Side: ikigai.PurposeObjective, User: "*", Replies: []Reply{{Line: 47, Say: `{"goal": "g"}`}},
		}, {
			Line: 49, Side: ikigai.PurposeTask, User: "Read\ntwo files",
			Replies: []Reply{{Line: 49, Calls: []Call{{Name: "bash", Arguments: "{}"}}}, {
				Line: 52, ExpectFeedback: []Pattern{"Turn 1/50", "/Used: bash/"}, Say: "{{feedback /Turn (.*)/ $1}}",
			}},
		}},
	}
}

func TestParse(t *testing.T) {
	got, err := Parse("all.script", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everythingParsed(), got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"What is in src/?"}, got.Statements()); diff != "" {
		t.Errorf("Statements (-want +got):\n%s", diff)
	}
}

func TestParseLineEndsAndMark(t *testing.T) {
	src := "\ufeff" + strings.ReplaceAll(everything, "\n", "\r\n")
	got, err := Parse("all.script", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everythingParsed(), got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"empty", "", `s: The script has no statement. Write a user: line and a say: line.`},
		{"no keyword", "user: a\nsay: b\nwhat now\n", `s:3: "what now" is no field.`},
		{"unknown keyword", "user: a\nsays: b\n", `s:2: "says" is no keyword. Use one of user, side, reply,`},
		{"indented first", "  say: b\n", `s:1: "say: b" is no field.`},
		{"before the first statement", "say: b\n", "s:1: say: stands before the first statement. Put a user: line above it."},
		{"reply before the first statement", "reply:\nsay: b\n", "s:1: reply: stands before the first statement."},
		{"model too late", "user: a\nmodel: x\n", "s:2: model: stands in a statement."},
		{"twice", "user: a\nsay: b\nsay: c\n", "s:3: A second say: in one reply."},
		{"no text", "user:\nsay: b\n", "s:1: user: has no text."},
		{"context too late", "user: a\ncontext: 9\n", "s:2: context: stands in a statement."},
		{"no context", "context: 0\nuser: a\nsay: b\n", `s:1: context: "0" is no number from 1 on.`},
		{"side of nothing", "side:\nsay: b\n", `s:1: side: "" is no purpose. Write one of objective, summary, commit, task.`},
		{"unknown side", "side: objectives\nsay: b\n", `s:1: side: "objectives" is no purpose.`},
		{"same side", "side: task\nsay: b\n\nside: task\nsay: c\n", "s:4: A side: above is for the same. Join"},
		{"empty reply", "user: a\nreply:\nsay: b\n", "s:1: The reply that begins here says nothing."},
		{"reply with a value", "user: a\nsay: b\nreply: c\n", "s:3: reply: has a value."},
		{"call without name", "user: a\ncall:\n", "s:2: call: names no tool."},
		{"bad number", "user: a\nsay: b\nrepeat: 0\n", `s:3: repeat: "0" is no number from 1 on.`},
		{"bad chunk", "user: a\nsay: b\nchunk: none\n", `s:3: chunk: "none" is no number`},
		{"bad delay", "user: a\nsay: b\ndelay: 3\n", `s:3: delay: "3" is no duration.`},
		{"bad usage", "user: a\nsay: b\nusage: in 3\n", `s:3: usage: "in 3" is not understood.`},
		{"bad fault", "user: a\nfault: cut at 3\n", `s:2: fault: "cut at 3" is not understood.`},
		{"unknown fault", "user: a\nfault: boom\n", `"boom" is no fault`},
		{"status without number", "user: a\nfault: status\n", `s:2: fault: "status" is not understood.`},
		{"status too low", "user: a\nfault: status 100\n", `a fault with status 100`},
		{"detail of a cut", "user: a\nfault: cut\n  x\n", `a fault cut with lines below it`},
		{"finish of two words", "user: a\nsay: b\nfinish: too long\n", "s:3: finish: is not one word."},
		{"expect nothing", "user: a\nsay: b\nexpect:\n", "s:3: expect: has no text."},
		{"bad expression", "user: a\nsay: b\nexpect: /(/\n", "s:1: In the part that begins here: error parsing regexp"},
		{"unknown quote", "user: a\nsay: {{what}}\n", `no such quote; there are result,`},
		{"quote in what is said", "user: {{\"a}}\nsay: b\n", "s:1: In the part that begins here: \"{{\\\"a}}\": no JSON string follows."},
		{"open quote in what is said", "user: {{\"a\"}\nsay: b\n", "no }} follows the JSON string"},
		{"blank", "user: {{\" \"}}\nsay: b\n", "nothing but white space is to be found"},
		{"quote in what is added", "user: a\nsteer: {{\"\nsay: b\n", "no JSON string follows"},
		{"quote in what is expected", "user: a\nexpect: {{\"\nsay: b\n", "no JSON string follows"},
		{"open quote", "user: a\nsay: {{result\n", `the closing }} is missing`},
		{"fill without size", "user: a\nsay: {{fill}}\n", `fill does not go with the rest`},
		{"fill too big", "user: a\nsay: {{fill 99999999999999999999}}\n", `more than 67108864 bytes`},
		{"number of n", "user: a\nsay: {{n[2]}}\n", `n does not go with the rest`},
		{"open expression", "user: a\nsay: {{output /a}}\n", `the regular expression has no closing slash`},
		{"not UTF-8", "user: a\nsay: \xff\n", "s:1: The file is not valid UTF-8. Save it as UTF-8."},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("s", []byte(test.src))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("Parse: %v\nwant an error with %s", err, test.want)
			}
			var e *ikigai.Error
			if !errors.As(err, &e) || e.Kind != ikigai.ErrorUsage || e.Do == "" {
				t.Errorf("Parse: %#v, want a usage error that says what to do", err)
			}
		})
	}
}

// TestDocumentation holds the examples of docs/scripts.md, fenced as script,
// against the parser.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```script\n")[1:]
	if len(examples) == 0 {
		t.Fatal("docs/scripts.md has no example")
	}
	for _, e := range examples {
		src, _, _ := strings.Cut(e, "```")
		if _, err := Parse("docs/scripts.md", []byte(src)); err != nil {
			t.Errorf("%v\n%s", err, src)
		}
	}
	for _, key := range allKeys {
		if !strings.Contains(string(page), "`"+key+":`") {
			t.Errorf("docs/scripts.md does not describe %s:", key)
		}
	}
}

// FuzzParse states the law of the format: what a parsed script prints parses
// to the same script.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("user: *\nsay: Hello.\n")
	f.Add("user: a\n  b\n\n   c\nthink:\n\tx\n\t\ty\n\ncall: t {\n  }\n  {{\"\\n\"}}\nreply:\nsay:\n")
	f.Add("delay: 0s 1h2m\nchunk: all\nuser: /x/\nfault: error-field after 2\n  {}\n")
	f.Fuzz(func(t *testing.T, src string) {
		first, err := Parse("fuzz", []byte(src))
		if err != nil {
			return
		}
		printed := first.String()
		second, err := Parse("fuzz", []byte(printed))
		if err != nil {
			t.Fatalf("%v\nprinted:\n%s", err, printed)
		}
		lines := cmp.Options{cmpopts.IgnoreFields(Statement{}, "Line"), cmpopts.IgnoreFields(Reply{}, "Line"), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(first, second, lines); diff != "" {
			t.Fatalf("printed (-first +second):\n%s\n%s", diff, printed)
		}
	})
}
