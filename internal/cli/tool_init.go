package cli

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ikigai"
	"ikigai/internal/exttool"
)

//go:embed tool_init
var toolTemplates embed.FS

var toolLanguages = []string{"bash", "python", "js", "go"}

// newTool is a tool to be begun.
type newTool struct {
	name    string
	lang    string
	project bool
	replace bool // a built-in tool may have the name
}

func (a *app) toolInitCommand() *cobra.Command {
	n := newTool{lang: "bash"}
	var user bool
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Begin a tool: write one that works, to be changed",
		Long: `Begin a tool: write one that works, and that passes ` + "`ikigai tool check`" + `, to be
changed. It goes to your own tools or, with --project, to those of the project.`,
		Example: `  ikigai tool init weather
  ikigai tool init --lang python --project deploy`,
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.load(); err != nil {
				return err
			}
			n.name = args[0]
			return a.toolInit(cmd.Context(), n)
		},
	}
	cmd.Flags().StringVar(&n.lang, "lang", n.lang, "`LANGUAGE`: "+strings.Join(toolLanguages, ", "))
	cmd.Flags().BoolVar(&n.project, "project", false, "put it into .ikigai/tools of the working directory")
	cmd.Flags().BoolVar(&user, "user", false, "put it into your own tools, as is usual")
	cmd.Flags().BoolVar(&n.replace, "replace", false, "take the name of a built-in tool, in the place of which it is run in every session")
	cmd.MarkFlagsMutuallyExclusive("project", "user")
	complete(cmd, "lang", fixed(toolLanguages...))
	return cmd
}

func (a *app) toolInit(ctx context.Context, n newTool) error {
	if !exttool.LegalName(n.name) {
		return usage("The name "+n.name+" is no name of a tool", "Use 1 to 64 letters, digits, - and _")
	}
	if !slices.Contains(toolLanguages, n.lang) {
		return usage("There is no beginning in "+n.lang, "Use one of "+strings.Join(toolLanguages, ", ")+"; any other language works, too")
	}
	if !n.replace && builtin(n.name) {
		return usage("The name "+n.name+" is that of a built-in tool, which yours would replace in every session", "Use another name, or --replace if that is meant")
	}
	dir := a.userTools()
	if n.project {
		dir = a.projectTools()
	}
	if dir == "" {
		return usage("There is no home directory", "Set HOME, or use --project")
	}
	path := filepath.Join(dir, n.name)
	if _, err := os.Lstat(path); err == nil {
		return usage(path+" is there already", "Choose another name, or remove it")
	}
	if err := a.writeTool(ctx, n, path); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.Out, path); err != nil {
		return err
	}
	if n.project {
		a.notice("The tool works as it is: change it, and check it with `ikigai tool check .ikigai/tools/" + n.name + "`. " +
			"What the project brings acts only once you trust it: `ikigai trust`.")
		return nil
	}
	a.notice("The tool works as it is: try `ikigai tool run " + n.name + " text=hello`, change it, and check it with `ikigai tool check " + n.name + "`.")
	return nil
}

// writeTool writes the file of a tool, or its source and what is built of it.
func (a *app) writeTool(ctx context.Context, n newTool, path string) error {
	text, err := toolTemplates.ReadFile("tool_init/" + n.lang)
	if err != nil {
		return err
	}
	text = bytes.ReplaceAll(text, []byte("NAME"), []byte(n.name))
	if n.lang == "go" {
		return a.buildTool(ctx, n.name, bytes.ReplaceAll(text, []byte("DESTINATION"), []byte(path)), path)
	}
	return writeNew(path, text, 0o755)
}

// buildTool writes the source of a tool in Go beside the tools, and builds it.
func (a *app) buildTool(ctx context.Context, name string, text []byte, path string) error {
	compiler, err := a.lookPath("go")
	if err != nil {
		return usage("The program go is not there, and builds the tool", "Install Go, or choose another --lang")
	}
	src := filepath.Join(filepath.Dir(path), "src", name)
	if err := writeNew(filepath.Join(src, "main.go"), text, 0o644); err != nil {
		return err
	}
	if err := writeNew(filepath.Join(src, "go.mod"), []byte("module "+name+"\n\ngo 1.21\n"), 0o644); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, compiler, "build", "-o", path, ".")
	cmd.Dir, cmd.Env = src, append(slices.Clone(a.Env), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return &ikigai.Error{Kind: ikigai.ErrorInternal, What: "The tool could not be built: " + strings.TrimSpace(string(out)),
			Do: "Its source is in " + src, Err: err}
	}
	return nil
}

// lookPath finds a program as the person would.
func (a *app) lookPath(name string) (string, error) {
	for _, dir := range filepath.SplitList(a.env("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); filepath.IsAbs(path) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fs.ErrNotExist
}

// writeNew writes a file that is not there yet, and the directories above it.
func writeNew(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return notWritten(path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return notWritten(path, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return notWritten(path, err)
	}
	return nil
}

func notWritten(path string, err error) error {
	return &ikigai.Error{Kind: ikigai.ErrorUsage, What: fmt.Sprintf("%s cannot be written: %v", path, err), Do: "Check the directory", Err: err}
}
