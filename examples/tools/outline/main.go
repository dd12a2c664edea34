// Outline is a tool that shows what Go code declares: far fewer bytes than the
// code itself.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ikigai/toolkit"
)

type input struct {
	Path string `json:"path" default:"." jsonschema:"File or directory"`
	All  bool   `json:"all" default:"false" jsonschema:"Also what is not exported"`
}

type output struct {
	Output string `json:"output" jsonschema:"Declarations by file"`
	Files  int    `json:"files"`
	Count  int    `json:"count" jsonschema:"Declarations"`
	toolkit.Extra
}

func main() {
	tool := toolkit.New("outline", "Show what a Go file, or the files of a directory, declare: functions, methods and types, with line numbers.", outline)
	tool.ReadOnly = true
	tool.Usage = "Before reading Go files, to find the place that matters."
	tool.Examples = []json.RawMessage{[]byte(`{"path":"."}`)}
	tool.Main()
}

func outline(_ context.Context, in input) (output, error) {
	files, err := goFiles(in.Path)
	if err != nil {
		return output{}, err
	}
	out := output{Files: len(files)}
	var b strings.Builder
	for _, path := range files {
		lines, err := declarations(path, in.All)
		if err != nil {
			out.Note += fmt.Sprintf("%s could not be parsed: %v. ", path, err)
			continue
		}
		out.Resources = append(out.Resources, toolkit.Resource{URI: path})
		out.Count += len(lines)
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s\n%s\n", path, strings.Join(lines, "\n"))
		}
	}
	out.Output = b.String()
	out.Report = fmt.Sprintf("%d declarations in %d files", out.Count, out.Files)
	out.Frontmatter = []string{"files", "count"}
	return out, nil
}

// goFiles returns the Go files that a path means.
func goFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, toolkit.Failure("FILE_NOT_FOUND", "File not found: "+path, "Check the path exists")
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{path}, nil
	}
	return filepath.Glob(filepath.Join(path, "*.go"))
}

// declarations returns a line for each declaration of a file.
func declarations(path string, all bool) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var lines []string
	add := func(name *ast.Ident, node any) {
		if all || name.IsExported() {
			lines = append(lines, fmt.Sprintf("%5d  %s", set.Position(name.Pos()).Line, text(set, node)))
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			d.Body, d.Doc = nil, nil
			add(d.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					add(t.Name, "type "+t.Name.Name+" "+kind(set, t.Type))
				}
			}
		}
	}
	return lines, nil
}

// kind returns a type in one line, without what it holds.
func kind(set *token.FileSet, t ast.Expr) string {
	switch t.(type) {
	case *ast.StructType:
		return "struct"
	case *ast.InterfaceType:
		return "interface"
	}
	return text(set, t)
}

func text(set *token.FileSet, node any) string {
	if s, ok := node.(string); ok {
		return s
	}
	var b strings.Builder
	if err := printer.Fprint(&b, set, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
