package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ikigai"
	"ikigai/internal/render"
	"ikigai/internal/scriptserver"
)

// replayScript plays a script with real tools in this directory, and tells what it
// expects and does not find. What happens is kept nowhere.
func (a *app) replayScript(ctx context.Context, path string, asJSON bool) error {
	script, err := readScript(path)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ikigai-replay-")
	if err != nil {
		return usage("There is no place for the session: "+err.Error(), "Set TMPDIR to a directory that can be written")
	}
	defer os.RemoveAll(home)
	a.flags["database"] = filepath.Join(home, "ikigai.db")
	a.trusting.ask = true
	if err := a.load(); err != nil {
		return err
	}
	a.settings.DataDir = home
	statements := script.Statements()
	if len(statements) == 0 {
		return usage(path+" has no statement that can be said: each is for a pattern", "Give it a user: line with plain text")
	}
	failed, err := a.playQuietly(ctx, script, statements)
	if err != nil {
		return err
	}
	return a.tellScript(len(statements), failed, asJSON)
}

// playQuietly takes each statement to its answer, and returns what a script
// expects and did not get.
func (a *app) playQuietly(ctx context.Context, script *scriptserver.Script, statements []string) (failed []string, err error) {
	endpoint, server, err := a.serveScript(script)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	v := a.newView(false)
	v.out, v.err, v.live.Terminal = io.Discard, io.Discard, false
	w, err := a.open(ctx, which{}, endpoint, <-a.openStore(ctx, openTime), v)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for _, s := range statements {
		before := len(server.Refused())
		_, err := w.agent.Run(ctx, ikigai.NewEvent(ikigai.KindUser, s, nil))
		refused := server.Refused()[before:]
		for _, r := range refused {
			failed = append(failed, r.Error())
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && len(refused) == 0 && !expectedFault(script):
			failed = append(failed, err.Error())
		}
	}
	return failed, nil
}

// expectedFault reports whether a script has replies that fail.
func expectedFault(s *scriptserver.Script) bool {
	for _, st := range s.All {
		for _, r := range st.Replies {
			if len(r.Faults) > 0 {
				return true
			}
		}
	}
	return false
}

// tellScript tells which expectations of a script have failed.
func (a *app) tellScript(statements int, failed []string, asJSON bool) error {
	text := ""
	for _, f := range failed {
		text += f + "\n"
	}
	count := "no difference"
	if len(failed) > 0 {
		count = render.Count(len(failed), "difference")
	}
	text += fmt.Sprintf("%s: %s\n", render.Count(statements, "statement"), count)
	if asJSON {
		raw, err := json.Marshal(struct {
			Statements  int      `json:"statements"`
			Differences []string `json:"differences"`
		}{statements, append([]string{}, failed...)})
		if err != nil {
			return err
		}
		text = string(raw) + "\n"
	}
	err := a.results(func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err == nil && len(failed) > 0 {
		err = &quietError{exitDiffers}
	}
	return err
}
