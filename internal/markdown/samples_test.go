package markdown_test

// fences are names of languages, one of each family.
var fences = []string{"go", "python", "ts", "rust", "cpp", "java", "csharp", "swift", "ruby", "php", "sh", "powershell", "sql", "json", "yaml", "toml", "hcl", "lua", "css",
	"make", "dockerfile", "html", "diff", "md", "nobody-knows", ""}

// samples is a bit of everything that code is made of.
const samples = `// a comment, and "a quote" in it
/* one that
goes on */ x := 'a' + "b\"c" + 0x1f + 1.5e-3
func main() { return nil } # hash
"""doc
string""" + f'x' @decorated
cat <<'EOF' > file
text $HOME
EOF
key: value
name = "x" ; [section]
<a href="x">text</a> <!-- note
--> SELECT * FROM t WHERE a = 'it''s' -- why
	$(CC) -o $@ ${x} && echo "$y"
+added
-removed
@@ -1 +1 @@
let s: &'a str = r#"raw"#; 'x'`

// seeds are texts with a bit of everything.
var seeds = []string{
	"# One\n\nText with *emphasis*, **strong**, ***both***, ~~gone~~, `code`, [a link](http://x.example/a_b_c), <http://y.example>, https://z.example/a*b*c.\n",
	"Title\n===\nSub\n---\ntext\n\n---\n***\n# a #\n## b ##\n#no\n####### seven\n",
	"- one\n  - two\n    1. three\n- [x] done\n- [ ] open\n\n      code?\n\nafter\n\n    code\n    more\n",
	"> quote\n> > nested **x**\n> ```go\n> x := 1\n> ```\n> - item\n>\nout\n> ```\nout again\n",
	"| a | b |\n|---|:-:|\n| 1 | two **x** |\n| `a\\\\|b` | |\n| 1 | 2 | 3 |\nafter\n",
	"a | b\n--|--:\n日本 | 1\nlonger cell than the terminal is wide, so it stays | x\n\n",
	"```go\nfunc main() {\n\t/* x\n*/ s := `a\\n\\n``\\n```\n~~~\n```\n~~~~\n",
	"a \\* b \\_ c `` ` `` *a **b* c** _x_y_ 2*3*4 __init__ **“x”**後 ![i](u \"t\") [x](x) [a][b] [[c]](d) <b>*x*</b> <!-- *y* -->\n",
	"<details>\n<summary>*x*</summary>\n\n**y**\n</details>\n",
	"* * *\n- - - x\n> - > - > - deep\n1) one\n2) two\n10. ten\n\n\n```\nunclosed",
	"a\x1b[2J\x00\r\nb\u0085\u009bc\xff\n|\x1b|\n|-|\n",
	"| h |\n|---|\n| a",
	"half a *line",
}
