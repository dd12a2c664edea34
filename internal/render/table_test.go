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
		{ID: "0197f3a2-1b2c-7aaa-8000-000000000001", Updated: ago(time.Minute), Statements: 3, Size: 12_345, Dir: "/home/user/app",
			Title: "What files are in the src/ directory, and which of them are not used by any other?"},
		{ID: "0197f3a2-1b2c-7bbb-8000-000000000002", Updated: ago(3 * time.Hour), Statements: 120, Size: 1_200_000,
			Dir: "/home/user/a/very/long/way/down/to/the/project", Title: "日本語のタイトルは幅が二倍ある\tand\nmore"},
		{ID: "0197a000-0000-7000-8000-000000000003", Updated: ago(90 * 24 * time.Hour), Dir: "/\x1b[2Jx", Title: "e\u0301te\u0301 👩\u200d💻 \u202e"},
	}
}

// P36, P42
func TestSessions(t *testing.T) {
	got := render.Style{Width: 80, Zone: time.UTC}.Sessions(sessions(), ikigai.ByUpdated, now)
	want := `SESSION           CHANGED       SIZE  DIRECTORY             TITLE
0197f3a2-1b2c-7a  1 min ago    12 KB  /home/user/app        What files are in t…
0197f3a2-1b2c-7b  3 h ago     1.2 MB  …down/to/the/project  日本語のタイトルは…
0197a000-0000-70  2026-04-02     0 B  /x                    e\u0301te\u0301 👩\u200d💻 <U+202E>
`
	want = strings.NewReplacer(`\u0301`, "\u0301", `\u200d`, "\u200d").Replace(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if piped := (render.Style{Zone: time.UTC}).Sessions(sessions(), ikigai.ByUpdated, now); !strings.Contains(piped, string(sessions()[0].ID)) ||
		!strings.Contains(piped, sessions()[0].Title) {
		t.Errorf("without a terminal something is cut:\n%s", piped)
	}
	for _, width := range []int{20, 40, 80, 100, 200} {
		for _, ascii := range []bool{false, true} {
			text := render.Style{Width: width, ASCII: ascii, Zone: time.UTC}.Sessions(sessions(), ikigai.ByUpdated, now)
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
	got := render.Style{Width: 40, Zone: time.UTC}.Sessions(list, ikigai.ByUpdated, now)
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
	want = `SESSION                               CHANGED     STATEMENTS    SIZE  TITLE
0197f3a2-1b2c-7aaa-8000-000000000001  1 min ago            3   12 KB  a
0197f3a2-1b2c-7bbb-8000-000000000002  3 h ago            120  1.2 MB  a
0197a000-0000-7000-8000-000000000003  2026-04-02           0     0 B  a
`
	if diff := cmp.Diff(want, render.Style{Zone: time.UTC}.Sessions(list, ikigai.ByUpdated, now)); diff != "" {
		t.Errorf("one directory, in a pipe (-want +got):\n%s", diff)
	}
}

// What the list is sorted by is in it; forks are marked, and what was spent is
// told where it is known.
func TestSessionsOrder(t *testing.T) {
	list := sessions()[:2]
	list[0].Dir, list[0].Title, list[0].Events, list[0].Cost = "/x", "a", 1234, 12_340_000
	list[1].Dir, list[1].Title, list[1].Events, list[1].Parent = "/x", "b", 7, list[0].ID
	list[1].Cost, list[1].Created = 1_200, list[1].Updated
	for order, want := range map[ikigai.SessionOrder]string{
		ikigai.ByEvents: `SESSION                               CHANGED    STATEMENTS  EVENTS    SIZE     COST  TITLE
0197f3a2-1b2c-7aaa-8000-000000000001  1 min ago           3   1,234   12 KB   $12.34  a
0197f3a2-1b2c-7bbb-8000-000000000002  3 h ago           120       7  1.2 MB  $0.0012  Y b
`,
		ikigai.ByCreated: `SESSION                               CREATED     STATEMENTS    SIZE     COST  TITLE
0197f3a2-1b2c-7aaa-8000-000000000001  1970-01-01           3   12 KB   $12.34  a
0197f3a2-1b2c-7bbb-8000-000000000002  3 h ago            120  1.2 MB  $0.0012  Y b
`,
	} {
		got := render.Style{ASCII: true, Zone: time.UTC}.Sessions(list, order, now)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", order, diff)
		}
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

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 KB", 9_960: "10 KB", 12_345: "12 KB",
		999_600: "1.0 MB", 1_250_000: "1.2 MB", 3_000_000_000: "3.0 GB", 5e15: "5000 TB"} {
		if got := render.Bytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestDollars(t *testing.T) {
	for n, want := range map[int64]string{0: "$0.00", 1: "<$0.0001", 50: "$0.0001", 1_234: "$0.0012", 123_456: "$0.12", 12_345_678: "$12.35"} {
		if got := render.Dollars(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
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

// Where nothing is cut, a long text does not make every row as long.
func TestTableOfLongTexts(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	rows := [][]string{{long, "1"}}
	for range 1000 {
		rows = append(rows, []string{"short", "1"})
	}
	text := render.Style{}.Table([]string{"content", "n"}, rows)
	if len(text) > 100_000+1010*210 || !strings.Contains(text, long+"  1\n") {
		t.Errorf("%d bytes", len(text))
	}
}

// What a narrow terminal does not show is not passed over in silence, and no number
// is cut.
func TestNarrowTables(t *testing.T) {
	for _, c := range []struct {
		width int
		head  string
		row   string
		want  string
	}{
		{38, "session|a|b", "01a1fa97-b599-78cc-b715-528b539ce02d|one|two",
			"session                       a    b\n01a1fa97-b599-78cc-b715-528…  one  two\n"},
		{20, "TOOL|CALLS|SUCCEEDED|FAILED", "delegate_tasks|12|10|2", "TOOL        FAILED …\ndelegate_…       2\n"},
		{20, "EVENT|OBJECTIVE|BY", "4|Find out why it fails|statement", "EVENT  OBJECTIVE …\n    4  Find out w…\n"},
		{30, "FILE OR URL|READ|CHANGED", "src/a/very/long/name.go|1|2", "FILE OR URL      READ  CHANGED\nsrc/a/very/lon…     1        2\n"},
		{16, "A|N", "abcdefghijkl|1,234,567", "A              N\nabcd…  1,234,567\n"},
	} {
		got := render.Style{Width: c.width}.Table(strings.Split(c.head, "|"), [][]string{strings.Split(c.row, "|")})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", c.width, diff)
		}
	}
}

func TestNarrowSpending(t *testing.T) {
	cost := int64(1_230_000)
	list := []render.Purpose{{Name: "main", Requests: 3, Usage: ikigai.Usage{Input: 12_345, Output: 678}, Cost: &cost}, {Name: "objective", Requests: 2}}
	for width, heads := range map[int]string{20: "PURPOSE COST …", 40: "PURPOSE TOKENS IN TOKENS OUT COST", 80: "PURPOSE REQUESTS TOKENS IN CACHED TOKENS OUT COST"} {
		text := render.Style{Width: width}.Purposes(list)
		head, rest, _ := strings.Cut(text, "\n")
		if got := strings.Join(strings.Fields(head), " "); got != heads || !strings.Contains(rest, "$1.23\n") {
			t.Errorf("%d columns:\n%s", width, text)
		}
	}
}
