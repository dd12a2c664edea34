package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ikigai"
	"ikigai/internal/safetext"
)

// keyLimit bounds the run of a key command.
const keyLimit = 10 * time.Second

// hasKey reports whether v has a key, as far as can be told without running
// anything.
func (s *Settings) hasKey(v Vendor) bool {
	return v.KeyCmd != "" || v.KeyEnv != "" && strings.TrimSpace(s.getenv(v.KeyEnv)) != ""
}

// key returns the key for the vendor name and where it comes from: the variable
// when it holds something, else the command. A vendor on this machine, or one
// for which neither is set, needs none. No error repeats any part of a key.
func (s *Settings) key(ctx context.Context, name string, v Vendor, run KeyCommand) (key, source string, err error) {
	setting := "vendors." + name
	if v.KeyEnv != "" {
		if key := strings.TrimSpace(s.getenv(v.KeyEnv)); key != "" {
			return key, v.KeyEnv, checkKey(key, "The variable "+v.KeyEnv)
		}
	}
	if v.KeyCmd != "" {
		what := "The command in " + setting + ".key_cmd (" + s.Origin(setting+".key_cmd") + ")"
		key, err := runKeyCommand(ctx, v.KeyCmd, what, run)
		return key, "key_cmd", err
	}
	if v.KeyEnv == "" || isLoopback(v.BaseURL) {
		return "", "", nil
	}
	return "", "", usage("There is no key for "+name+": the variable "+v.KeyEnv+" is empty",
		"Export "+v.KeyEnv+", or set "+setting+".key_cmd in "+s.UserFile+" to a command that prints the key")
}

// runKeyCommand returns the key that command prints. what names the command at
// the beginning of an error.
func runKeyCommand(ctx context.Context, command, what string, run KeyCommand) (string, error) {
	if run == nil {
		return "", usage(what+" may not be run here", "Put the key into a variable instead")
	}
	limited, cancel := context.WithTimeout(ctx, keyLimit)
	defer cancel()
	output, err := run(limited, command)
	switch {
	case ctx.Err() != nil:
		return "", &ikigai.Error{Kind: ikigai.ErrorCancelled, Err: ctx.Err(),
			What: what + " was stopped", Do: "Run it again"}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return "", usage(what+" did not finish within 10 seconds", "Run it in a shell to see what it waits for")
	case err != nil:
		if told := new(commandError); errors.As(err, &told) {
			what += told.clause()
		} else {
			what += " failed"
		}
		return "", usage(what, "Run it in a shell to see why")
	}
	key := strings.TrimSpace(output)
	return key, checkKey(key, what)
}

// checkKey refuses what cannot be sent as a key. what names its source.
func checkKey(key, what string) error {
	switch {
	case key == "":
		return usage(what+" gave nothing", "See that it prints the key on standard output")
	case strings.ContainsAny(key, "\r\n"):
		return usage(what+" gave more than one line", "See that the key stands alone")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return usage(what+" holds characters that no key has", "Copy the key once more, without quotes and spaces")
	}
	return nil
}

// ShellKeyCommand returns a KeyCommand that runs command lines with sh in the
// given environment, without input. Its process group ends with it. Where a
// command fails, the error tells what it said last.
func ShellKeyCommand(environ []string) KeyCommand {
	return func(ctx context.Context, command string) (string, error) {
		var stdout bytes.Buffer
		var stderr lastBytes
		cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
		cmd.Env = environ
		cmd.Stdout = &firstBytes{buffer: &stdout, left: 64 << 10}
		cmd.Stderr = &stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return killGroup(cmd) }
		cmd.WaitDelay = 200 * time.Millisecond
		err := cmd.Run()
		if errors.Is(err, exec.ErrWaitDelay) {
			// The command ended well and left a child that holds its output.
			_ = killGroup(cmd) // nothing is left to kill, at worst
			err = ctx.Err()
		}
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			err = &commandError{exit, lastLine(string(stderr), stdout.String())}
		}
		return stdout.String(), err
	}
}

// commandError is the error of a command that ran and failed.
type commandError struct {
	*exec.ExitError
	said string // the last line of its standard error, fit to be shown
}

func (e *commandError) Unwrap() error { return e.ExitError }

// clause continues a sentence about the command.
func (e *commandError) clause() string {
	s := fmt.Sprintf(" failed with exit code %d", e.ExitCode())
	if !e.Exited() {
		s = " was ended by a " + e.ExitError.Error() // "signal: killed"
	}
	if e.said != "" {
		s += ": " + e.said
	}
	return s
}

// lastLine returns the last line of text as an error may repeat it: short,
// clean, and without keys, secret among them.
func lastLine(text, secret string) string {
	const most = 200 - len("…")
	text = strings.TrimRight(safetext.Terminal(text), " \t\n.")
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return cut(safetext.RedactKeys(safetext.Redact(text, strings.Fields(secret))), most)
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// firstBytes keeps the first bytes of what is written and drops the rest.
type firstBytes struct {
	buffer *bytes.Buffer
	left   int
}

func (w *firstBytes) Write(p []byte) (int, error) {
	kept := p[:min(len(p), w.left)]
	w.left -= len(kept)
	w.buffer.Write(kept)
	return len(p), nil
}

// lastBytes keeps the last bytes of what is written.
type lastBytes []byte

func (w *lastBytes) Write(p []byte) (int, error) {
	const most = 4 << 10
	*w = append(*w, p[max(0, len(p)-most):]...)
	*w = (*w)[max(0, len(*w)-most):]
	return len(p), nil
}
