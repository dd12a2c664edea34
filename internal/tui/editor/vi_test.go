package editor

import "testing"

func TestVi(t *testing.T) {
	play(t, Config{Vi: true}, []transcript{
		{"|", "one<Esc>", "on|e"},
		{"|", "one<Esc>0ix<Esc>", "|xone"},
		{"|", "one<Esc>0ax<Esc>", "o|xne"},
		{"|  one", "<Esc>Ax<Esc>", "  one|x"},
		{"  one|", "<Esc>Ix<Esc>", "  |xone"},
		{"one|\ntwo", "<Esc>ox<Esc>", "one\n|x\ntwo"},
		{"one\nt|wo", "<Esc>Ox<Esc>", "one\n|x\ntwo"},
		{"one two thr|ee", "<Esc>bb", "one |two three"},
		{"|one.two three", "<Esc>w", "one|.two three"},
		{"|one.two three", "<Esc>W", "one.two |three"},
		{"|one.two three", "<Esc>e", "on|e.two three"},
		{"|one.two three", "<Esc>Ee", "one.two thre|e"},
		{"one.two three|", "<Esc>B", "one.two |three"},
		{"|one two three", "<Esc>2w", "one two |three"},
		{"one| two", "<Esc>$", "one tw|o"},
		{"  one| two", "<Esc>^", "  |one two"},
		{"one\ntwo\nthr|ee", "<Esc>gg", "|one\ntwo\nthree"},
		{"|one\ntwo\nthree", "<Esc>G", "one\ntwo\n|three"},
		{"|one\ntwo\nthree", "<Esc>2G", "one\n|two\nthree"},
		{"one\nt|wo\nthree", "<Esc>k", "|one\ntwo\nthree"},
		{"one\nt|wo\nthree", "<Esc>j", "one\ntwo\n|three"},
		{"|one two", "<Esc>fo", "one tw|o"},
		{"|one two", "<Esc>tw", "one |two"},
		{"one two|", "<Esc>Fe", "on|e two"},
		{"one two|", "<Esc>Te", "one| two"},
		{"|a.b.c.d", "<Esc>f.;;", "a.b.c|.d"},
		{"|a.b.c.d", "<Esc>f.;;,", "a.b|.c.d"},
		{"|a.b.c.d", "<Esc>t.;;", "a.b.|c.d"},
		{"|a.b.c.d", "<Esc>2f.", "a.b|.c.d"},
	})
}

func TestViChanges(t *testing.T) {
	play(t, Config{Vi: true}, []transcript{
		{"|one", "<Esc>x", "|ne"},
		{"|one", "<Esc>2x", "|e"},
		{"on|e", "<Esc>x", "o|e"},
		{"one|", "<Esc>X", "o|e"},
		{"|one", "<Esc>rx", "|xne"},
		{"|one", "<Esc>2rx", "x|xe"},
		{"|one", "<Esc>9rx", "|one"},
		{"|one", "<Esc>sx<Esc>", "|xne"},
		{"o|ne\ntwo", "<Esc>Sx<Esc>", "|x\ntwo"},
		{"one| two three", "<Esc>lD", "on|e"},
		{"one| two\nx", "<Esc>Cy<Esc>", "on|y\nx"},
		{"|one two three", "<Esc>dw", "|two three"},
		{"|one two three", "<Esc>2dw", "|three"},
		{"|one two three", "<Esc>d2w", "|three"},
		{"one |two\nthree", "<Esc>ldw", "one| \nthree"},
		{"|one two", "<Esc>de", "| two"},
		{"|one two", "<Esc>cwx<Esc>", "|x two"},
		{"one two|", "<Esc>db", "one |o"},
		{"one tw|o", "<Esc>d0", "|wo"},
		{"|one two", "<Esc>dtw", "|wo"},
		{"|one two", "<Esc>dfw", "|o"},
		{"|one two", "<Esc>cfwx<Esc>", "|xo"},
		{"one\nt|wo\nthree", "<Esc>dd", "one\n|three"},
		{"one\ntwo|", "<Esc>dd", "|one"},
		{"|one\ntwo\nthree", "<Esc>2dd", "|three"},
		{"|one\ntwo\nthree", "<Esc>dj", "|three"},
		{"|one\ntwo\nthree", "<Esc>dG", "|"},
		{"one\ntwo\nth|ree", "<Esc>dgg", "|"},
		{"o|ne\ntwo", "<Esc>ccx<Esc>", "|x\ntwo"},
		{"|one\ntwo", "<Esc>yyp", "one\n|one\ntwo"},
		{"one\nt|wo", "<Esc>yyP", "one\n|two\ntwo"},
		{"|one\ntwo", "<Esc>ddp", "two\n|one"},
		{"|one two", "<Esc>ywP", "one| one two"},
		{"|abc", "<Esc>xp", "b|ac"},
		{"|abc", "<Esc>x3p", "baa|ac"},
		{"|one two", "<Esc>dwu", "|one two"},
		{"|one two", "<Esc>dwu<C-r>", "|two"},
		{"|one two three", "<Esc>dw.", "|three"},
		{"|one\ntwo", "<Esc>Ax y<Esc>j.", "onex y\ntwox |y"},
		{"|one", "<Esc>ix<Esc>...", "|xxxxone"},
		{"|one", "<Esc>xu.", "|ne"},
		{"a 'b'|\nc d", `<Esc>ci'd.d<Esc>jh.`, "a 'd.d'\nc| d"}, // it fails there, and types nothing
		{"|one two", "<Esc>d<Esc>w", "one |two"},
		{"|one two", "<Esc>dqw", "one |two"},
	})
}

func TestViObjectsAndSelection(t *testing.T) {
	play(t, Config{Vi: true}, []transcript{
		{"one t|wo three", "<Esc>diw", "one | three"},
		{"one tw|o three", "<Esc>daw", "one |three"},
		{"one tw|o", "<Esc>daw", "on|e"},
		{"one.tw|o x", "<Esc>diW", "| x"},
		{`say "hel|lo" x`, `<Esc>ci"x<Esc>`, `say "|x" x`},
		{`say "hel|lo" x`, `<Esc>da"`, `say | x`},
		{"f(a, (b), |c)", "<Esc>ci(x<Esc>", "f(|x)"},
		{"f(a|)", "<Esc>da(", "|f"},
		{"[a|]", "<Esc>di[", "[|]"},
		{"|one two", "<Esc>ved", "| two"},
		{"|one two", "<Esc>vly$p", "one twoo|n"},
		{"|one two", "<Esc>vcx<Esc>", "|xne two"},
		{"a|x\u0301", "<Esc>vP", "|x\u0301"},
		{"|one two", "<Esc>v<Esc>x", "|ne two"},
		{"one t|wo x", "<Esc>viwd", "one | x"},
		{"|one two", "<Esc>veoh<Esc>x", "|ne two"},
	})
}

func TestModeIsTold(t *testing.T) {
	e := New(Config{Vi: true})
	for _, step := range []struct{ typed, want string }{
		{"a b", "insert"}, {"<Esc>", "normal"}, {"v", "visual"}, {"y", "normal"}, {"cw", "insert"}, {"<Esc>d", "normal"},
	} {
		for _, k := range keys(t, step.typed) {
			e.Handle(k)
		}
		if e.Mode() != step.want {
			t.Errorf("after %s: mode %q, want %q", step.typed, e.Mode(), step.want)
		}
	}
	if got := New(Config{}).Mode(); got != "" {
		t.Errorf("emacs has mode %q", got)
	}
}

// The keys of Alt are Escape and the key, which come together when typed quickly.
func TestViTakesAltAsEscape(t *testing.T) {
	play(t, Config{Vi: true}, []transcript{{"one two|", "<M-b>", "one |two"}, {"one|", "x<M-x>", "on|e"}})
}

func TestEscapeInNormalModeIsTheFronts(t *testing.T) {
	e := New(Config{Vi: true})
	esc := key(t, "Esc")
	for i, want := range []Event{Changed, Nothing} {
		if got := e.Handle(esc); got != want {
			t.Errorf("Escape %d: event %d, want %d", i+1, got, want)
		}
	}
}
