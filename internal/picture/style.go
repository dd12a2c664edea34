package picture

import (
	"fmt"
	"strconv"
	"strings"
)

// Colours of the picture's terminal.
const (
	ground = "#16181d"
	ink    = "#d6d9df"
	faint  = "#3a3f4a"
)

// palette is the sixteen colours, normal and bright.
func palette(n int) string {
	return [...]string{
		"#2b303b", "#e06c75", "#8fc379", "#e0b66b", "#6aa5f0", "#c586d8", "#5cc0c9", "#c8ccd4",
		"#6b7280", "#f08a92", "#a9d996", "#f0cb8a", "#8fbfff", "#dba6ea", "#82d8df", "#ffffff",
	}[n]
}

// style is how a run of text looks.
type style struct {
	front, back                              string // "" for the terminal's own
	bold, dim, italic, under, struck, turned bool
}

// apply takes in the parameters of an SGR sequence. Those that are not known change
// nothing.
func (s *style) apply(params string) {
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		*s = style{}
	}
	for i := 0; i < len(codes); i++ {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			continue
		}
		switch {
		case n == 38 || n == 48:
			color, used := longColor(codes[i+1:])
			i += used
			if n == 38 {
				s.front = color
			} else {
				s.back = color
			}
		case 30 <= n && n <= 37:
			s.front = palette(n - 30)
		case 90 <= n && n <= 97:
			s.front = palette(n - 90 + 8)
		case 40 <= n && n <= 47:
			s.back = palette(n - 40)
		case 100 <= n && n <= 107:
			s.back = palette(n - 100 + 8)
		default:
			s.flag(n)
		}
	}
}

func (s *style) flag(n int) {
	switch n {
	case 0:
		*s = style{}
	case 1:
		s.bold = true
	case 2:
		s.dim = true
	case 3:
		s.italic = true
	case 4:
		s.under = true
	case 7:
		s.turned = true
	case 9:
		s.struck = true
	case 22:
		s.bold, s.dim = false, false
	case 23:
		s.italic = false
	case 24:
		s.under = false
	case 27:
		s.turned = false
	case 29:
		s.struck = false
	case 39:
		s.front = ""
	case 49:
		s.back = ""
	}
}

// longColor reads what follows 38 or 48, and returns how many codes that took.
func longColor(codes []string) (color string, used int) {
	number := func(i int) int {
		n, _ := strconv.Atoi(codes[i]) // what is no number is 0
		return n & 0xff
	}
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		return indexed(number(1)), 2
	case len(codes) >= 4 && codes[0] == "2":
		return fmt.Sprintf("#%02x%02x%02x", number(1), number(2), number(3)), 4
	}
	return "", len(codes)
}

// indexed returns a colour of the 256: sixteen of the palette, a cube of six steps a
// side, and greys.
func indexed(n int) string {
	switch {
	case n < 16:
		return palette(n)
	case n < 232:
		step := func(v int) int {
			if v == 0 {
				return 0
			}
			return 55 + 40*v
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// background returns the colour behind the text, "" for the ground.
func (s style) background() string {
	if s.turned {
		if s.front == "" {
			return ink
		}
		return s.front
	}
	return s.back
}

// attributes returns those of the text's element.
func (s style) attributes() string {
	var b strings.Builder
	front := s.front
	if s.turned {
		front = s.back
		if front == "" {
			front = ground
		}
	}
	if front != "" {
		fmt.Fprintf(&b, ` fill="%s"`, front)
	}
	if s.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if s.dim {
		b.WriteString(` opacity="0.62"`)
	}
	if s.italic {
		b.WriteString(` font-style="italic"`)
	}
	var lines []string
	if s.under {
		lines = append(lines, "underline")
	}
	if s.struck {
		lines = append(lines, "line-through")
	}
	if len(lines) > 0 {
		fmt.Fprintf(&b, ` text-decoration="%s"`, strings.Join(lines, " "))
	}
	return b.String()
}
