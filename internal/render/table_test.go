package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/render"
)

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func sessions() []ikigai.SessionInfo {
	ago := func(d time.Duration) ikigai.Micros { return ikigai.MicrosOf(now.Add(-d)) }
	return []ikigai.SessionInfo{
		{ID: "0197f3a2-1b2c-7aaa-8000-000000000001", Updated: ago(time.Minute), Statements: 3, Dir: "/home/user/app",
			Title: "What files are in the src/ directory, and which of them are not used by any other?"},
		{ID: "0197f3a2-1b2c-7bbb-8000-000000000002", Updated: ago(3 * time.Hour), Statements: 120,
			Dir: "/home/user/a/very/long/way/down/to/the/project", Title: "日本語のタイトルは幅が二倍ある\tand\nmore"},
		{ID: "0197a000-0000-7000-8000-000000000003", Updated: ago(90 * 24 * time.Hour), Dir: "/\x1b[2Jx", Title: "e\u0301te\u0301 👩\u200d💻 \u202e"},
	}
}

// P36, P42
func TestSessions(t *testing.T) {
	got := render.Style{Width: 80, Zone: time.UTC}.Sessions(sessions(), now)
	want := `SESSION           CHANGED     STATEMENTS  DIRECTORY           TITLE
0197f3a2-1b2c-7a  1 min ago            3  /home/user/app      What files are in…
0197f3a2-1b2c-7b  3 h ago            120  …wn/to/the/project  日本語のタイトル…
0197a000-0000-70  2026-04-02           0  /x                  e\u0301te\u0301 👩\u200d💻 <U+202E>
`
	want = strings.NewReplacer(`\u0301`, "\u0301", `\u200d`, "\u200d").Replace(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if piped := (render.Style{Zone: time.UTC}).Sessions(sessions(), now); !strings.Contains(piped, string(sessions()[0].ID)) ||
		!strings.Contains(piped, sessions()[0].Title) {
		t.Errorf("without a terminal something is cut:\n%s", piped)
	}
	for _, width := range []int{20, 40, 80, 100, 200} {
		for _, ascii := range []bool{false, true} {
			text := render.Style{Width: width, ASCII: ascii, Zone: time.UTC}.Sessions(sessions(), now)
			for _, line := range strings.Split(text, "\n") {
				if w := ansi.StringWidth(line); w > width {
					t.Errorf("%d columns in %d: %q", w, width, line)
				}
			}
			checkSafe(t, text)
		}
	}
}

// Directories are shown if they tell sessions apart, and what has no place on
// a narrow terminal is left out.
func TestSessionsColumns(t *testing.T) {
	list := sessions()
	got := render.Style{Width: 40, Zone: time.UTC}.Sessions(list, now)
	want := `SESSION           CHANGED     TITLE
0197f3a2-1b2c-7a  1 min ago   What file…
0197f3a2-1b2c-7b  3 h ago     日本語の…
0197a000-0000-70  2026-04-02  e\u0301te\u0301 👩\u200d💻 <U…
`
	want = strings.NewReplacer(`\u0301`, "\u0301", `\u200d`, "\u200d").Replace(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("40 columns (-want +got):\n%s", diff)
	}
	for i := range list {
		list[i].Dir, list[i].Title = "/home", "a"
	}
	want = `SESSION                               CHANGED     STATEMENTS  TITLE
0197f3a2-1b2c-7aaa-8000-000000000001  1 min ago            3  a
0197f3a2-1b2c-7bbb-8000-000000000002  3 h ago            120  a
0197a000-0000-7000-8000-000000000003  2026-04-02           0  a
`
	if diff := cmp.Diff(want, render.Style{Zone: time.UTC}.Sessions(list, now)); diff != "" {
		t.Errorf("one directory, in a pipe (-want +got):\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	got := render.Style{}.Table([]string{"A", "B", "C"}, [][]string{{"one", "二二"}, {"", "2", "x", "too many"}})
	want := "A    B     C\none  二二\n     2     x\n"
	if diff := cmp.Diff("A   NUM\nx     1\ny  1.50\n", render.Style{}.Table([]string{"A", "NUM"}, [][]string{{"x", "1"}, {"y", "1.50"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	coloured := render.Style{Color: true}.Table([]string{"A"}, [][]string{{"x"}})
	if want := "\x1b[1mA\x1b[0m\nx\n"; coloured != want {
		t.Errorf("got %q, want %q", coloured, want)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour:           "just now",
		9 * time.Second:      "just now",
		59 * time.Second:     "59 s ago",
		time.Minute:          "1 min ago",
		119 * time.Minute:    "1 h ago",
		49 * time.Hour:       "2 d ago",
		30 * 24 * time.Hour:  "2026-06-01",
		400 * 24 * time.Hour: "2025-05-27",
	} {
		if got := (render.Style{Zone: time.UTC}).Ago(now, now.Add(-d)); got != want {
			t.Errorf("%v ago: %q, want %q", d, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 calls", 1: "1 call", 2: "2 calls", 12345: "12,345 calls"} {
		if got := render.Count(n, "call"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
