package webpage

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"ikigai/internal/race"
)

var update = flag.Bool("update", false, "write what is read into testdata")

func read(t testing.TB, markup string) Page {
	t.Helper()
	base, err := url.Parse("https://example.org/dir/page")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(context.Background(), markup, base)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, string(archive.Files[0].Data)).Markdown + "\n"
		if *update {
			archive.Files[1].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// The main part stands for the page only if it holds most of what is said.
func TestMainPart(t *testing.T) {
	long := strings.Repeat("many words ", 40)
	for name, tt := range map[string]struct{ markup, want, not string }{
		"main":               {"<header>top</header><main><p>" + long + "</main><footer>end</footer>", "many", "end"},
		"a short main":       {"<main>few</main><div>" + long + "</div>", "many", ""},
		"role":               {"<div>side</div><div role=main>" + long + "</div>", "many", "side"},
		"one long article":   {"<article>" + long + long + "</article><article>teaser</article>", "many", "teaser"},
		"many articles":      {strings.Repeat("<article>"+long+"</article>", 5) + "last", "last", ""},
		"only navigation":    {"<nav>" + strings.Repeat("<a href=/x>link</a> ", 40) + "</nav>", "link", ""},
		"navigation in main": {"<main><nav>menu</nav>" + long + "</main>", "many", "menu"},
	} {
		got := read(t, tt.markup).Markdown
		if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}

func TestTitleAndBase(t *testing.T) {
	p := read(t, "<base href=/other/><svg><title>no</title></svg><TITLE>\n The &quot;title&quot; </TITLE><title>second</title><a href=x>l</a>")
	if p.Title != `The "title"` || p.Markdown != "[l](https://example.org/other/x)" {
		t.Errorf("%+v", p)
	}
}

// P26, P42, P23: hostile pages take a time and a space that grow with their
// length alone.
func TestHostile(t *testing.T) {
	const n = 100_000 / race.Tenth
	many := func(s string) string { return strings.Repeat(s, n) }
	for name, markup := range map[string]string{
		"deep":          many("<div>") + "x" + many("</div>"),
		"deep quotes":   many("<blockquote>") + many("<p>x"),
		"deep lists":    many("<ul><li>") + many("<p>x"),
		"deep tables":   many("<table><tr><td>") + "x",
		"deep marks":    many("<b><i><a href=/x>") + many("y"),
		"stray ends":    "<div>" + many("<span>") + many("</p></td></b>"),
		"wide rows":     "<table>" + many("<td rowspan=1000000000 colspan=1000000000>x") + many("<tr><td>y"),
		"attributes":    many("<html a=1 b=2 class=x>"),
		"one tag":       "<div " + many("a=b "),
		"open comment":  many("<!-- <!--"),
		"open quote":    `<a href="` + many("x "),
		"open script":   "<script>" + many("</scrip"),
		"open title":    "<title>" + many("</title"),
		"entities":      many("&amp;&#x110000;&#0;&notit;"),
		"angles":        many("<") + many("< "),
		"ends":          many("</"),
		"spaces":        many(" \n") + "x",
		"data":          `<img alt=x src="data:image/png;base64,` + many("AAAA") + `">`,
		"long link":     `<a href="/` + many("x") + `">y</a>`,
		"reopened bold": "<b>" + many("<p>x"),
		"rows of heads": "<table>" + many("<th>x") + many("<tr><td>y"),
	} {
		p := read(t, markup)
		if len(p.Markdown) > maxWritten+len(markup) || !utf8.ValidString(p.Markdown) {
			t.Errorf("%s: %d bytes of %d", name, len(p.Markdown), len(markup))
		}
		if strings.Contains(p.Markdown, "AAAA") || strings.Contains(p.Markdown, "xxxx](") {
			t.Errorf("%s: a link of %d bytes is shown", name, len(markup))
		}
	}
	if p := read(t, "a\x1b]0;x\x07b\u202ec\U000E0041d<p title='\x1b'>"); p.Markdown != "a]0;xbcd" {
		t.Errorf("%q", p.Markdown)
	}
	if p := read(t, strings.Repeat("<ul><li>", 250)+strings.Repeat("<li>x", 2<<20)); !p.Cut || len(p.Markdown) > 2*maxWritten {
		t.Errorf("cut: %t, %d bytes", p.Cut, len(p.Markdown))
	}
	if p := read(t, "<base href=/"+strings.Repeat("x", 2000)+"/>"+strings.Repeat("<a href=y>z</a>", 1<<15)); !p.Cut || len(p.Markdown) > 2*maxWritten {
		t.Errorf("a paragraph of links: cut: %t, %d bytes", p.Cut, len(p.Markdown))
	}
	if p := read(t, strings.Repeat("<base href=b/>", 1<<17/race.Tenth)+"<a href=x>l</a>"); p.Markdown != "[l](https://example.org/dir/b/x)" {
		t.Errorf("many bases: %.100s", p.Markdown)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, many("x<p>"), &url.URL{}); err == nil {
		t.Error("a page was read after the end")
	}
}

// FuzzRead holds that any bytes can be read, that nothing of a script is shown,
// and that what is shown is text.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"<p>a<b>b</p>c", "<table><tr><td>x<table><td>y", "<pre><code>x</pre>y", "<a href='x'><h1>t</a></h1>", "<ul><li><table><td><ul><li>z",
		"<svg><title>a</svg><p hidden>b<p>c", "</td></table><th><pre><table><td></pre><li>", "<x a=\"b'c\" d=e/>&#x1f;"} {
		f.Add(seed)
	}
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			f.Add(string(archive.Files[0].Data))
		}
	}
	f.Fuzz(func(t *testing.T, markup string) {
		p := read(t, UTF8([]byte(markup), "text/html; charset=utf-8"))
		if !utf8.ValidString(p.Markdown) || visible(p.Markdown) != p.Markdown || strings.ContainsRune(p.Title, '\n') {
			t.Errorf("%q, %q", p.Title, p.Markdown)
		}
		if len(p.Markdown) > 1000+200*len(markup) {
			t.Errorf("%d bytes became %d", len(markup), len(p.Markdown))
		}
	})
}

// P15: text of every charset is read as what it says.
func TestUTF8(t *testing.T) {
	for name, tt := range map[string]struct{ raw, kind, want string }{
		"utf-8":            {"é", "", "é"},
		"utf-8, cut":       {"éé\xc3", "", "éé\uFFFD"},
		"latin-1 guessed":  {"caf\xe9 \x80", "text/html", "café €"},
		"header":           {"\xe9", "text/html; charset=ISO-8859-1", "é"},
		"header wins":      {"<meta charset=utf-8>\xe9", "text/html; charset=iso-8859-15", "<meta charset=utf-8>é"},
		"meta":             {"<meta charset='shift_jis'>\x93\xfa\x96\x7b", "text/html", "<meta charset='shift_jis'>日本"},
		"http-equiv":       {`<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">` + "\xd2\xd5", "", `<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">ру`},
		"gbk":              {"\xc4\xe3", "text/plain; charset=gb2312", "你"},
		"big5":             {"\xa7\x41", "text/plain; charset=Big5", "你"},
		"euc-kr":           {"\xb0\xa1", "text/plain; charset=euc-kr", "가"},
		"mark":             {"\xef\xbb\xbfé", "text/plain; charset=latin1", "é"},
		"utf-16 mark":      {"\xff\xfea\x00\xe9\x00", "", "aé"},
		"utf-16be mark":    {"\xfe\xff\x00a", "", "a"},
		"utf-16 declared":  {"<meta charset=utf-16>é", "", "<meta charset=utf-16>é"},
		"unknown":          {"é", "text/plain; charset=nonsense", "é"},
		"late declaration": {strings.Repeat(" ", metaProbe) + "<meta charset=koi8-r>\xe9!", "", strings.Repeat(" ", metaProbe) + "<meta charset=koi8-r>é!"},
	} {
		if got := UTF8([]byte(tt.raw), tt.kind); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var page strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&page, "<div class=x><h2>Part %d</h2><p>Some <b>bold</b> words and <a href=/p/%d>a link</a>.</p><ul><li>one<li>two</ul></div>\n", i, i)
	}
	b.SetBytes(int64(page.Len()))
	for b.Loop() {
		read(b, page.String())
	}
}
