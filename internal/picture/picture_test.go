package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	svg := string(SVG("plain \x1b[1;32mgreen\x1b[0m <&>\n\x1b[7mturned\x1b[27m \x1b[38;5;196mred\x1b[39m \x1b[38;2;1;2;3mdeep\n", `a "title"`, 40))
	for _, want := range []string{
		`>plain </text>`, `fill="#8fc379" font-weight="bold">green</text>`, `&lt;&amp;&gt;`, `fill="#ff0000">red</text>`,
		`fill="#010203">deep</text>`, `fill="#16181d">turned</text>`, `aria-label="a &#34;title&#34;"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
}

// What is no SGR sequence is passed over.
func TestOtherSequences(t *testing.T) {
	svg := string(SVG("\x1b\x1b7a\x1b[2Kb m\x1b[1\x1b[31mred\x1b", "", 40))
	for _, want := range []string{">7a</text>", ">[2Kb m</text>", `fill="#e06c75">red</text>`} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
}

// Whatever the screen holds, the picture is well-formed and runs nothing.
func FuzzSVG(f *testing.F) {
	f.Add("a \x1b[1mb\x1b[0m <script>")
	f.Add("\x1b[38;5;999m\x1b[38;2m\x1b[48;2;1mx\x1b[")
	f.Add("\x1b[;;31;m\xff\x00 \u202e")
	f.Add("\x1b")
	f.Fuzz(func(t *testing.T, screen string) {
		d := xml.NewDecoder(strings.NewReader(string(SVG(screen, screen, 80))))
		for {
			token, err := d.Token()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok && !strings.Contains(" svg rect g circle text ", " "+e.Name.Local+" ") {
				t.Fatalf("it has an element %s", e.Name.Local)
			}
		}
	})
}
