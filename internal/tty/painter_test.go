package tty

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzPainter: whatever is printed and drawn, on whatever widths, the terminal
// shows all that was printed, in order, then the live region and nothing else.
// S2.45, P33, P36
func FuzzPainter(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, true, false)
		f.Add(seed, false, false)
		f.Add(seed, true, true)
	}
	f.Fuzz(func(t *testing.T, seed uint64, sync, tmux bool) {
		r := rand.New(rand.NewPCG(seed, 0))
		m := newModel(20+r.IntN(100), 12+r.IntN(30))
		m.tmux = tmux
		p := painter{reflows: true, sync: sync, slack: slack{on: tmux}}
		var printed []string
		for range max(0, r.IntN(m.height+12)-12) { // by a shell
			printed = append(printed, randomLine(r, r.IntN(2*m.width), len(printed)))
		}
		m.write(printable(nil, joined(printed), false))
		stood, told := m.row, r.IntN(5)
		var live Live
		for i := range 60 {
			if i == told {
				p.stood(stood)
			}
			switch r.IntN(6) {
			case 0:
				if i <= told {
					break
				}
				if width, height := narrowest+r.IntN(100), 12+r.IntN(30); broken(p.lines, width)+takes(p.slack.rows, width) < height {
					m.resize(width, height) // else some of it is in the scrollback, where nothing can be taken back
				}
			case 1:
				live = randomLive(r, m.height)
			case 2, 3:
				live = grown(r, live)
			}
			var lines []string
			for range max(r.IntN(12)-8, 0) {
				lines = append(lines, randomLine(r, r.IntN(3*m.width), len(printed)+len(lines)))
			}
			if r.IntN(8) == 0 {
				lines = append(lines, strings.Repeat("=", m.width)) // fills the row exactly
			}
			printed = append(printed, lines...)
			m.write(p.paint(joined(lines), live, m.width, m.height))
			check(t, m, printed, live, &p)
		}
		m.write(p.clear(m.width))
		if diff := cmp.Diff(trimmed(printed), m.lines()); diff != "" {
			t.Errorf("cleared: printed (-), shown (+):\n%s", diff)
		}
	})
}

// broken is how many rows lines take on that width.
func broken(lines []line, width int) (rows int) {
	for _, l := range lines {
		rows += 1 + l.breaks(width, l.width)
	}
	return rows
}

// In a pane that a shell has filled nothing stands below the live region, and where
// there is no room, there is none for slack. What stands there is enough that nothing
// of the live region is left when it gets narrow.
func TestSlackOfPanes(t *testing.T) {
	wide := strings.Repeat("word ", 15)
	for _, c := range []struct{ height, stood, lines, slack int }{
		{24, 0, 3, 7},
		{24, 1, 3, 6},
		{24, 3, 3, 4},
		{24, 4, 3, 3},
		{24, 6, 3, 0},
		{24, 7, 3, 0},
		{24, 23, 3, 0},
		{24, 23, 23, 0},
		{5, 0, 3, 1},
		{3, 2, 3, 0},
		{2, 1, 3, 0},
		{1, 0, 1, 0},
		{1, 0, 3, 0},
	} {
		live := Live{Lines: slices.Repeat([]string{wide}, c.lines)}
		m := newModel(80, c.height)
		m.tmux = true
		p := painter{reflows: true, slack: slack{on: true}}
		printed := slices.Repeat([]string{"of the shell"}, c.stood)
		m.write(printable(nil, joined(printed), false))
		m.write(p.paint("", live, m.width, m.height))
		if p.slack.rows != 0 {
			t.Errorf("%v: %d rows of slack before anything is known", c, p.slack.rows)
		}
		p.stood(m.row)
		for range 3 {
			m.write(p.paint("", live, m.width, m.height))
			if p.slack.rows != c.slack {
				t.Errorf("%v: %d rows of slack", c, p.slack.rows)
			}
			live.Lines = live.Lines[:min(c.lines, max(c.height-1, 1))]
			check(t, m, printed, live, &p)
		}
		printed = append(printed, "of ours")
		m.write(p.paint("of ours\n", live, m.width, m.height))
		if p.slack.rows < 0 || p.slack.rows != max(c.slack-1, 0) && c.height > 5 {
			t.Errorf("%v: %d rows of slack below another line", c, p.slack.rows)
		}
		check(t, m, printed, live, &p)
		if broken(p.lines, narrowest)+takes(p.slack.rows, narrowest) < c.height {
			m.resize(narrowest, c.height)
			m.write(p.paint("", live, m.width, m.height))
			check(t, m, printed, live, &p)
		}
	}
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// check holds the terminal against what it is to show.
func check(t *testing.T, m *model, printed []string, live Live, p *painter) {
	t.Helper()
	want := slices.Clone(printed)
	for _, l := range live.Lines {
		want = append(want, bare(cut(l, m.width-1, false).text))
	}
	if diff := cmp.Diff(trimmed(want), m.lines()); diff != "" {
		t.Fatalf("wanted (-), shown (+):\n%s", diff)
	}
	if m.nowrap || m.hidden != live.Blind {
		t.Fatalf("nowrap %v, hidden %v", m.nowrap, m.hidden)
	}
	if row := m.top + m.row; live.Lines != nil && !strings.HasPrefix(bare(cut(live.Lines[live.Row], m.width-1, false).text), strings.TrimRight(strings.Join(m.rows[row].cells, ""), " ")) {
		t.Fatalf("the cursor is in row %q, want %q", m.rows[row].cells, live.Lines[live.Row])
	}
	if m.col != min(live.Col, m.width-1) {
		t.Fatalf("the cursor is in column %d, want %d of %d", m.col, live.Col, m.width)
	}
}

// bare is text without styles.
func bare(text string) string {
	var b strings.Builder
	for c := (cells{rest: text}); c.next(); {
		b.WriteString(c.text)
	}
	return b.String()
}

func trimmed(lines []string) []string {
	all := []string{}
	for _, l := range lines {
		all = append(all, strings.TrimRight(bare(l), " "))
	}
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

func randomLine(r *rand.Rand, width, number int) string {
	pieces := []string{"a", "b ", "word", "\x1b[1m", "\x1b[m", "\x1b[31;4m", "é", "e\u0301", "日本", "🎉", "👩‍💻", "שלום", "─", "\x1b[0m"}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", number)
	for range width / 2 {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String() + "\x1b[m"
}

func randomLive(r *rand.Rand, height int) Live {
	live := Live{Blind: r.IntN(4) == 0}
	for i := range r.IntN(height / 4) {
		live.Lines = append(live.Lines, randomLine(r, r.IntN(150), -1-i))
	}
	if len(live.Lines) > 0 {
		live.Row = r.IntN(len(live.Lines))
		live.Col = r.IntN(10)
	}
	return live
}

// grown is live with more in one of its lines, as a reply that streams.
func grown(r *rand.Rand, live Live) Live {
	live.Lines = slices.Clone(live.Lines)
	if len(live.Lines) > 0 {
		live.Lines[r.IntN(len(live.Lines))] += "more "
		live.Row = r.IntN(len(live.Lines))
	}
	return live
}

func TestPainterBytes(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for _, c := range []struct {
		name     string
		was, is  Live
		most     int
		contains string
	}{
		{"nothing", Live{Lines: []string{"a", "b"}}, Live{Lines: []string{"a", "b"}}, 0, ""},
		{"cursor", Live{Lines: []string{"ab"}}, Live{Lines: []string{"ab"}, Col: 2}, 30, "\r\x1b[2C"},
		{"token", Live{Lines: []string{long, "> ", "status"}, Row: 1, Col: 2}, Live{Lines: []string{long + "token", "> ", "status"}, Row: 1, Col: 2}, 80, "\x1b[100Ctoken"},
		{"styled", Live{Lines: []string{"\x1b[1m" + long + "\x1b[m"}}, Live{Lines: []string{"\x1b[1m" + long + "x\x1b[m"}}, 80, "\x1b[1mx\x1b[m\x1b[K"},
		{"style alone", Live{Lines: []string{"abc"}}, Live{Lines: []string{"ab\x1b[1mc\x1b[m"}}, 80, "\r\x1b[2C\x1b[1mc\x1b[m"},
		{"shorter", Live{Lines: []string{long, "b"}}, Live{Lines: []string{"word"}}, 60, "\x1b[K"},
		{"emoji before", Live{Lines: []string{"ab 🎉 c"}}, Live{Lines: []string{"ab 🎉 cd"}}, 60, "\x1b[3C🎉 cd\x1b[K"},
		{"wide", Live{Lines: []string{"日本"}}, Live{Lines: []string{"日本語"}}, 60, "\x1b[4C語"},
	} {
		p := painter{sync: true}
		p.paint("", c.was, 120, 40)
		got := string(p.paint("", c.is, 120, 40))
		if len(got) > c.most || !strings.Contains(got, c.contains) {
			t.Errorf("%s: %d bytes, want at most %d with %q: %q", c.name, len(got), c.most, c.contains, got)
		}
	}
}

// P42
func TestPaintedTextCannotAct(t *testing.T) {
	const evil = "a\x1b[2J\x1b]0;title\x07\x1b[10Ab\rc\x07d\u009b5Ae\x9bf\x1bcg\x1b[31mred"
	m := newModel(40, 5) // panics at what it does not know
	p := painter{reflows: true}
	m.write(p.paint(evil+"\n", Live{Lines: []string{evil + "\nmore", "\x1b[1m"}}, 40, 5))
	if diff := cmp.Diff([]string{"abcd5Aefgred", "abcd5Aefgredmore"}, m.lines()); diff != "" {
		t.Error(diff)
	}
}

// A live region that is higher than the terminal shows the rows around the cursor.
func TestTallLive(t *testing.T) {
	var live Live
	for i := range 30 {
		live.Lines = append(live.Lines, fmt.Sprint("line ", i))
	}
	for _, c := range []struct{ row, first int }{{0, 0}, {29, 21}, {10, 10}, {25, 21}} {
		m := newModel(40, 10)
		p := painter{reflows: true}
		live.Row = c.row
		m.write(p.paint("printed\n", live, 40, 10))
		want := append([]string{"printed"}, live.Lines[c.first:c.first+9]...)
		if diff := cmp.Diff(want, m.lines()); diff != "" {
			t.Error(diff)
		}
		if got := strings.Join(m.at().cells, ""); got != live.Lines[c.row] {
			t.Errorf("the cursor is at %q, want %q", got, live.Lines[c.row])
		}
	}
}

func TestASCII(t *testing.T) {
	if got := cut("日本 \x1b[1mé", 10, true).text; got != "???? \x1b[1m?\x1b[m" {
		t.Errorf("%q", got)
	}
	if got := string(printable(nil, "é\tb\n", true)); got != "?\tb\r\n" {
		t.Errorf("%q", got)
	}
}
