package tools

import "testing"

func TestSmoke(t *testing.T) {
	b := newBench(t, Config{})
	b.write("f", "package a\n\nfunc f() {\n\tx := 1\n\treturn x\n}\n")
	for _, args := range []string{
		`{"path":"f","edits":[{"old":"x := 1","new":"x := 2"}]}`,
		`{"path":"f","edits":[{"old":"    x := 2\n    return x\n","new":"    y := 2\n    if y > 1 {\n        y++\n    }\n    return y\n"}]}`,
		`{"path":"f","edits":[{"old":"y","new":"zz","replace_all":true}]}`,
		`{"path":"f","edits":[{"old":"zz","new":"x"}]}`,
		`{"path":"f","edits":[{"old":"zz > 2","new":"x"}]}`,
		`{"path":"f","edits":[{"old":"\\tzz := 2\\n","new":"x"}]}`,
		`{"path":"f","edits":[{"old":"4: \tzz := 2\n","new":"x"}]}`,
	} {
		r := b.call("file_edit", args)
		t.Logf("%s\n%s\nNOTE %s\nREPORT %s\n", args, text(r), r.Note, r.Report)
	}
	t.Log(b.read("f"))
}
