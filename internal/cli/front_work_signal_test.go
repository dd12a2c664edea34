package cli

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"ikigai"
	"ikigai/internal/scriptserver"
)

// A signal while the conversation is put in fewer words, or a commit is under way,
// ends the program: the conversation and the repository are as they were, nothing is
// left behind, and the session goes on.
//
// P7, P21
func TestWorkIsLeft(t *testing.T) {
	for name, work := range map[string]func(*testing.T) (*typist, func()){
		"compact": leftCompacting, "commit, the model is silent": leftAtMessage, "commit, a hook runs": leftAtHook,
	} {
		for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(name+", "+signal.String(), func(t *testing.T) {
				t.Parallel()
				s, check := work(t)
				must(t, syscall.Kill(s.Pid(), syscall.SIGINT)) // a key of the front, and no end
				must(t, syscall.Kill(s.Pid(), signal))
				if code := s.Exited(); signal != syscall.SIGKILL && code != exitInterrupted {
					t.Errorf("exit code %d", code)
				}
				check()
				if all := of(ikigai.KindProjection, s.p.log()); len(all) > 0 {
					t.Errorf("the conversation was put in fewer words: %s", asJSON(all))
				}
				if got := s.p.run(exitAnswered, "run", "--continue", "And now?").out.String(); got != "I have read it.\n" {
					t.Errorf("the session went on with %q", got)
				}
				s.p.allAccepted()
			})
		}
	}
}

// nextRequest returns what waits for the next request to the model.
func (p *place) nextRequest() (await func()) {
	came := make(chan struct{}, 1)
	p.onRequest(func(int, scriptserver.Request) {
		select {
		case came <- struct{}{}:
		default:
		}
	})
	return func() {
		p.t.Helper()
		within(p.t, came, "request")
	}
}

func leftCompacting(t *testing.T) (*typist, func()) {
	p := newPlace(t, endless)
	p.unreplayed = true // a summary was stopped
	p.run(exitAnswered, "run", "Read this. "+strings.Repeat("word ", 4000))
	p.run(exitAnswered, "run", "--continue", "Thank you.")
	s := p.types("--set", "context_limit=8000", "--continue")
	await := p.nextRequest()
	s.enters("/compact")
	await()
	return s, func() {}
}

func leftAtMessage(t *testing.T) (*typist, func()) {
	p := newRepository(t, endless+"\nside: commit\nsay: x\nfault: hang\n")
	return p.leftCommitting(func(s *typist) {
		await := p.nextRequest()
		s.enters("/commit")
		await()
	})
}

func leftAtHook(t *testing.T) (*typist, func()) {
	p := newRepository(t, endless+"\nside: commit\nsay: add a file\n")
	g := p.gate("gate")
	must(t, os.WriteFile(p.file(".git/hooks/pre-commit"), []byte("#!/bin/sh\nexec 9>gate; echo there >&9; exec sleep 1000\n"), 0o755))
	s, check := p.leftCommitting(func(s *typist) {
		s.enters("/commit")
		s.WaitFor("y yes")
		s.Send("y")
		g.awaits("there")
	})
	return s, func() {
		g.awaitGone()
		check()
	}
}

// leftCommitting has a person commit who is gone in the midst of it. The function
// returned checks that nothing was committed, and that the person can.
func (p *place) leftCommitting(commits func(*typist)) (*typist, func()) {
	p.unreplayed = true // something was stopped
	p.run(exitAnswered, "run", "Read this.")
	p.stage("new", "new\n")
	s := p.types("--continue")
	commits(s)
	return s, func() {
		head := exec.Command("git", "rev-parse", "--verify", "--quiet", "HEAD")
		head.Dir, head.Env = p.work, p.env()
		if head.Run() == nil {
			p.t.Error("something was committed")
		}
		if got := p.git("diff", "--cached", "--name-only"); got != "new" {
			p.t.Errorf("%q is staged", got)
		}
		must(p.t, os.RemoveAll(p.file(".git/hooks")))
		p.git("commit", "-q", "-m", "by hand")
	}
}
