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

// Keys are the ways to a key that is not in the environment. Either may be nil.
type Keys struct {
	// Command runs a command line and returns what it prints.
	Command KeyCommand

	// Stored returns the key that was stored for a vendor, and where it lies; ""
	// if there is none.
	Stored func(ctx context.Context, vendor string) (key, place string, err error)
}

// KeyCommand runs a command line and returns what it prints.
type KeyCommand func(ctx context.Context, command string) (string, error)

func (k Keys) stored(ctx context.Context, vendor string) (key, place string, err error) {
	if k.Stored == nil {
		return "", "", nil
	}
	return k.Stored(ctx, vendor)
}

// hasKey reports whether v has a key, as far as can be told without running
// anything.
func (s *Settings) hasKey(v Vendor) bool {
	_, name := s.keyVariable(v)
	return v.KeyCmd != "" || name != ""
}

// keyVariable returns the key that is in the environment, and the name of its
// variable.
func (s *Settings) keyVariable(v Vendor) (key, name string) {
	for _, name := range keyVariables(v) {
		if key := strings.TrimSpace(s.getenv(name)); key != "" {
			return key, name
		}
	}
	return "", ""
}

// needsKey reports whether a vendor can do nothing without a key.
func needsKey(v Vendor) bool {
	return isKeyed(v) && !isLoopback(v.BaseURL) && (v.Auth == "" || v.Auth == AuthKey)
}

// isKeyed reports whether the settings say where a key comes from.
func isKeyed(v Vendor) bool { return v.KeyEnv != "" || v.KeyCmd != "" }

// key returns the key for the vendor name and where it comes from: the variable
// when it holds something, else the command, else what is stored. A vendor on
// this machine, one with another kind of credentials, or one for which neither
// variable nor command is set, needs none: only that stored keys cannot be read
// is an error for one on this machine, too. No error repeats any part of a key.
func (s *Settings) key(ctx context.Context, name string, v Vendor, keys Keys) (key, source string, err error) {
	setting := "vendors." + name
	if key, variable := s.keyVariable(v); key != "" {
		return key, variable, CheckKey(key, "The variable "+variable)
	}
	if v.KeyCmd != "" {
		what := "The command in " + setting + ".key_cmd (" + s.Origin(setting+".key_cmd") + ")"
		key, err := runKeyCommand(ctx, v.KeyCmd, what, keys.Command)
		return key, "key_cmd", err
	}
	if v.KeyEnv == "" {
		return "", "", nil
	}
	key, source, unread := keys.stored(ctx, name)
	switch {
	case ctx.Err() != nil:
		return "", "", &ikigai.Error{Kind: ikigai.ErrorCancelled, Err: ctx.Err(), What: "The search for a key was stopped", Do: "Run it again"}
	case key != "":
		return key, source, CheckKey(key, "The key that is stored for "+name)
	case !needsKey(v) && (unread == nil || v.Auth == AuthAWS || v.Auth == AuthGoogle):
		return "", "", nil
	case !needsKey(v):
		return "", "", usage("Whether there is a key for "+name+" cannot be seen: "+strings.TrimSuffix(unread.Error(), "."),
			"Correct that, or take key_env out of "+setting+" in "+s.UserFile+" if no key is needed")
	}
	variables := strings.ReplaceAll(v.KeyEnv, " ", " or ")
	what := "There is no key for " + name + ": the variable " + variables + " is empty"
	if unread != nil {
		what += ", and stored keys cannot be read: " + strings.TrimSuffix(unread.Error(), ".")
	}
	return "", "", usage(what, "Export "+variables+", store a key with `ikigai login "+name+"`, or set "+
		setting+".key_cmd in "+s.UserFile+" to a command that prints the key")
}

// KeySource returns where the key of a vendor comes from, without running
// anything: the name of a variable, "key_cmd", the place of a stored key, or "".
func (s *Settings) KeySource(ctx context.Context, vendor string, keys Keys) (source string, err error) {
	v := s.Vendors[vendor]
	if _, variable := s.keyVariable(v); variable != "" {
		return variable, nil
	}
	if v.KeyCmd != "" {
		return "key_cmd", nil
	}
	_, place, err := keys.stored(ctx, vendor)
	return place, err
}

// WithoutKey says what a vendor does without a key.
func (s *Settings) WithoutKey(vendor string) string {
	switch v := s.Vendors[vendor]; {
	case needsKey(v), isKeyed(v) && v.Auth != AuthAWS && v.Auth != AuthGoogle:
		return "none"
	case v.Auth == AuthAWS:
		return "none: credentials of AWS"
	case v.Auth == AuthGoogle:
		return "none: credentials of Google"
	}
	return "none needed"
}

// TakesKey refuses a vendor that is not known, and one whose settings name no
// variable for a key: a key that is stored for it would never be looked for.
func (s *Settings) TakesKey(vendor string) error {
	v, known := s.Vendors[vendor]
	switch {
	case !known:
		return usage(fmt.Sprintf("No vendor is called %q", clip(vendor)), suggest(vendor, s.VendorNames())+"; others are added under vendors in "+s.UserFile)
	case v.KeyEnv == "":
		return usage("The settings of "+vendor+" say that it has no key", "Set vendors."+vendor+".key_env in "+s.UserFile+" to the variable that may hold one")
	}
	return nil
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
	if key == "" {
		return "", usage(what+" gave nothing", "See that it prints the key on standard output")
	}
	return key, CheckKey(key, what)
}

// CheckKey refuses what cannot be sent as a key. what names its source. The error
// is of kind usage and repeats no part of the key.
func CheckKey(key, what string) error {
	switch {
	case key == "":
		return usage(what+" gave nothing", "Give the key, alone on a line")
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
