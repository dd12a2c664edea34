package overlay

import (
	"strings"
	"testing"

	"ikigai/internal/tty"
)

var choices = []Choice{
	{Key: 'y', Label: "yes, once"}, {Key: 's', Label: "for the session"},
	{Key: 'r', Label: "as a rule", Words: true, With: "bash git *"}, {Key: 'n', Label: "no"},
}

func TestQuestion(t *testing.T) {
	q := NewQuestion(Look{Color: true}, "May bash run this command, which changes things?", choices)
	var s screens
	s.add("", q, 80, 10)
	s.add("", q, 30, 10)
	s.add("", q, 20, 3)
	s.add("", q, 5, 2)
	press(q, "r")
	s.add("r", q, 80, 10)
	press(q, "C-w", "BS", "status 日本語 and all that goes with it")
	s.add("words", q, 30, 10)
	press(q, "Home", "Right", "Del")
	s.add("Home Right Del", q, 20, 1)
	narrow := NewQuestion(Look{}, "Run bash(go vet)?", []Choice{{Key: 'y', Label: "yes, once"},
		{Key: 's', Label: "yes, bash(go vet *) in this session"}, {Key: 'n', Label: "no"}, {Key: 'w', Label: "no, with words"}})
	s.add("choices wider than the terminal", narrow, 19, 23)
	s.add("and more than its rows", narrow, 19, 7)
	s.compare(t)
}

// Neither Enter nor what was pasted agrees to anything.
func TestQuestionIsAnswered(t *testing.T) {
	for _, test := range []struct {
		keys  []string
		done  bool
		want  int
		words string
	}{
		{[]string{"y"}, true, 0, ""},
		{[]string{"S"}, true, 1, ""},
		{[]string{"n"}, true, 3, ""},
		{[]string{"Esc"}, true, -1, ""},
		{[]string{"Enter", "Enter", "Tab", "Paste", "x", " ", "Down", "Enter"}, false, -1, ""},
		{[]string{"r", "Enter"}, true, 2, "bash git *"},
		{[]string{"r", "BS", "status", "Enter"}, true, 2, "bash git status"},
		{[]string{"r", "Esc"}, false, -1, ""},
		{[]string{"r", "Esc", "Esc"}, true, -1, ""},
		{[]string{"r", "C-u", "Paste", "Enter"}, true, 2, "pasted y[2J more"},
	} {
		q := NewQuestion(Look{}, "?", choices)
		done := press(q, test.keys...)
		if choice, words := q.Answer(); done != test.done || choice != test.want || words != test.words {
			t.Errorf("%v: %v, %d %q; want %v, %d %q", test.keys, done, choice, words, test.done, test.want, test.words)
		}
	}
	if NewQuestion(Look{}, "?", choices).Handle(tty.Key{Rune: 'y', Mods: tty.Alt}) {
		t.Error("Alt-Y agrees")
	}
}

func FuzzQuestionFits(f *testing.F) {
	f.Add("\xe2\x01\xce", []byte("0"), 3, 26)
	f.Add("prompt 日本語\n\tx\x1b[1m", []byte("ab\rry\xf1abc\r"), 30, 10)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width, height int) {
		if width < -1 || width > 400 || height < -1 || height > 200 {
			t.Skip()
		}
		q := NewQuestion(Look{Color: true}, text, []Choice{{Key: 'a', Label: text}, {Key: 'r', Label: "rule", Words: true, With: text}, {Key: '日', Label: strings.Repeat("long ", 9)}})
		for _, k := range keysOf(keys) {
			fits(t, q, width, height)
			if q.Handle(k) {
				break
			}
		}
		fits(t, q, height, width)
	})
}

func TestField(t *testing.T) {
	for _, test := range []struct {
		keys []string
		want string
		at   int
	}{
		{[]string{"abc", "Left", "Left", "X"}, "aXbc", 2},
		{[]string{"e\u0301日", "BS", "BS"}, "", 0},
		{[]string{"e\u0301日", "Home", "Right", "Del"}, "e\u0301", 3},
		{[]string{"one two  ", "C-w", "C-w", "three"}, "three", 5},
		{[]string{"日本\u3000語", "C-w"}, "日本\u3000", 9},
		{[]string{"abc", "Left", "C-u"}, "c", 0},
		{[]string{"Paste", strings.Repeat("x", 20_000)}, "pasted y[2J more" + strings.Repeat("x", 10_000-16), 10_000},
	} {
		var f field
		press(handler(f.handle), test.keys...)
		if f.text != test.want || f.at != test.at {
			t.Errorf("%.30q: %.40q at %d, want %.40q at %d", test.keys, f.text, f.at, test.want, test.at)
		}
	}
}

type handler func(tty.Key) bool

func (h handler) Handle(k tty.Key) bool { return h(k) }
