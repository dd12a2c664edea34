package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ofTests are packages of which nothing is in the program.
var ofTests = []string{"faultserver", "killtest", "pgtest", "providertest", "storetest", "tmuxtest"}

// TestGoroutinesAreGuarded demands that each goroutine of the program defers Guard, in
// the function that it begins with, or is begun by a guard of its own.
func TestGoroutinesAreGuarded(t *testing.T) {
	seen := 0
	for dir, files := range sources(t) {
		functions := map[string][]*ast.BlockStmt{} // methods of several types may have one name
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					functions[f.Name.Name] = append(functions[f.Name.Name], f.Body)
				}
			}
		}
		for path, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				begun := begins(n)
				if begun == nil {
					return true
				}
				seen++
				if !guarded(begun, functions) {
					t.Errorf("%s: byte %d: a goroutine is begun that does not defer crash.Guard", filepath.Join(dir, path), n.Pos()-file.FileStart)
				}
				return true
			})
		}
	}
	if seen < 50 {
		t.Errorf("only %d goroutines were found", seen)
	}
}

// sources returns the program's files of each directory, by name.
func sources(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	all := map[string]map[string]*ast.File{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(ofTests, d.Name()) || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if all[dir] == nil {
			all[dir] = map[string]*ast.File{}
		}
		all[dir][d.Name()] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// begins returns the function that n begins a goroutine with, nil if n is no such
// statement.
func begins(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call.Fun
	case *ast.CallExpr: // of a sync.WaitGroup
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Go" && len(n.Args) == 1 {
			return n.Args[0]
		}
	}
	return nil
}

// guarded reports whether a function defers crash.Guard, or does all that it does
// in a guard.
func guarded(f ast.Expr, functions map[string][]*ast.BlockStmt) bool {
	switch f := f.(type) {
	case *ast.FuncLit:
		return guards(f.Body)
	case *ast.SelectorExpr:
		return slices.ContainsFunc(functions[f.Sel.Name], guards)
	case *ast.Ident:
		return slices.ContainsFunc(functions[f.Name], guards)
	}
	return false
}

func guards(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.DeferStmt:
			return called(s.Call) == "Guard"
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			return ok && called(call) == "guard"
		}
		return false
	})
}

// called returns the name of the method or of another package's function that is
// called.
func called(c *ast.CallExpr) string {
	if f, ok := c.Fun.(*ast.SelectorExpr); ok {
		return f.Sel.Name
	}
	return ""
}
