package tui

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ikigai"
	"ikigai/internal/tmuxtest"
)

// paragraphs is how many of them the model says, waits how it says where it waits,
// and stands how the status does, which is seen also where the reply has no room.
const (
	paragraphs = 25
	waits      = "waits as %d, "
	stands     = "local/at-%d."
)

// paragraph is what the model says, and head what comes before it may wait.
func paragraph(n int, waited bool) (head, text string) {
	head = fmt.Sprintf("Paragraph %d has **bold** words, wide ones (日本語), and ", n)
	if waited {
		head += fmt.Sprintf(waits, n)
	}
	return head, head + strings.Repeat("more of them ", 4) + fmt.Sprintf("than fit into a narrow terminal: end %d.\n\n", n)
}

// resized says paragraphs. In the middle of each of those in at it waits until the
// terminal has another size.
func (p *player) resized(at []string) {
	p.ui.Busy("waiting for the model")
	p.ui.Block(callBlock("1", "bash", `{"command":"make"}`))
	p.ui.Progress("1", []byte(strings.Repeat(strings.Repeat("what the call prints, ", 7)+"\n", 3)))
	var all strings.Builder
	for n := range paragraphs {
		waited := slices.Contains(at, strconv.Itoa(n))
		head, text := paragraph(n, waited)
		p.ui.Delta(ikigai.Delta{Text: head})
		if waited {
			p.ui.Status(Status{Model: fmt.Sprintf(stands, n)})
			<-p.winch
		}
		p.ui.Delta(ikigai.Delta{Text: text[len(head):]})
		all.WriteString(text)
	}
	p.ui.Block(said(ikigai.KindAssistant, all.String()))
	p.ui.Block(resultBlock("1", "made"))
	p.ui.Status(Status{Model: "local/any"})
	p.ui.Idle()
}

// What is typed while a reply streams stands in the input, whatever size the
// terminal takes meanwhile, however full the screen is; nothing of the reply is lost
// or shown twice, and nothing of the live region is left. The sizes come between two
// frames: one that is on its way at that moment may leave a row.
//
// P33, P36
func TestResizeInMidStream(t *testing.T) {
	for _, c := range []struct {
		fill, at int      // lines on the screen before; the first paragraph in which it waits
		sizes    [][2]int // of the terminal
	}{
		{0, 0, [][2]int{{40, 24}, {200, 24}, {30, 24}}},
		{0, 1, [][2]int{{200, 24}, {30, 24}, {80, 24}}},
		{3, 0, [][2]int{{120, 30}, {30, 30}, {400, 30}, {60, 30}}},
		{12, 0, [][2]int{{40, 24}, {200, 50}, {30, 40}}},
		{12, 2, [][2]int{{30, 24}, {200, 24}, {30, 24}}},
		{40, 0, [][2]int{{200, 24}, {30, 24}, {20, 24}}},
		{40, 3, [][2]int{{40, 24}, {200, 50}, {30, 40}, {120, 30}}},
	} {
		t.Run(fmt.Sprint(c.fill, c.at, c.sizes), func(t *testing.T) {
			t.Parallel()
			s := tmuxtest.Start(t, tmuxtest.Config{Args: []string{os.Args[0], playsFront, strconv.Itoa(c.fill)}, Width: c.sizes[0][0], Height: c.sizes[0][1]})
			s.WaitFor("local/any")
			statement, typed := "resized", ""
			for i := range c.sizes[1:] {
				statement += fmt.Sprint(" ", c.at+i)
			}
			s.Type(statement)
			s.Send("Enter")
			for i, size := range c.sizes[1:] {
				shows(s, fmt.Sprintf(stands, c.at+i))
				s.Type(fmt.Sprint(i, "typed"))
				typed += fmt.Sprint(i, "typed")
				shows(s, typed)
				s.Resize(size[0], size[1])
			}
			shows(s, "made › "+typed+" local/any")
			var want []string
			for n := range c.fill {
				want = append(want, earlier(n))
			}
			want = append(want, "› "+statement, "● bash  $ make")
			for n := range paragraphs {
				_, text := paragraph(n, n >= c.at && n < c.at+len(c.sizes)-1)
				want = append(want, strings.TrimSpace(strings.ReplaceAll(text, "**", "")))
			}
			want = append(want, "made", "› "+typed, "local/any")
			// Where lines are broken depends on when each was printed.
			if diff := cmp.Diff(unspaced(strings.Join(want, "")), unspaced(s.Unwrapped())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// unspaced is text without spaces.
func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }

// shows waits until text stands on the screen, however that breaks it.
func shows(s *tmuxtest.Screen, text string) {
	text = unspaced(text)
	s.Until(strconv.Quote(text), func(screen string) bool { return strings.Contains(unspaced(screen), text) })
}

// earlier is a line that stands on the screen before the front begins.
func earlier(n int) string { return fmt.Sprintf("line %d that was there before", n) }
