package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ikigai"
	"ikigai/internal/config"
)

const courseScript = `
side: objective
say: {"title": "Title", "goal": "Goal", "objective": "Objective"}

user: *
call: bash {"command": "true"}
call: file_read {"path": "nosuch"}
reply:
call: file_write {"path": "a.txt", "content": "x"}
call: bash {"command": "echo >> b.txt"}
reply:
say: Done.
`

// S4.8, S4.22, S4.23, S5.6: goal, objectives, tallies and resources are the same
// live and restored, after a rewind, in a fork, and in the numbers that the
// feedback told then; in a file and on a server.
func TestCourseIsRestored(t *testing.T) {
	t.Parallel()
	file := func(t *testing.T) *place { return newPlace(t, courseScript) }
	server := func(t *testing.T) *place {
		p, _ := onServer(t, courseScript)
		return p
	}
	for name, at := range map[string]func(*testing.T) *place{"SQLite": file, "PostgreSQL": server} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t).withObjectives(config.ObjectivesModel)
			p.run(exitAnswered, "run", "One. More.")
			p.checkCourse(1, 4)
			p.run(exitAnswered, "run", "--continue", "Two")
			p.checkCourse(2, 8)
			p.run(exitAnswered, "sessions", "rewind", "--back", "1")
			p.checkCourse(1, 4)
			p.run(exitAnswered, "run", "--continue", "--goal", "Mine", "Other")
			p.checkCourse(2, 8)
			p.run(exitAnswered, "run", "--continue", "--fork", "Aside")
			if goal := p.checkCourse(3, 12).Goal; goal != (courseGoal{"Mine", ikigai.ByPerson}) {
				t.Errorf("the goal of the fork is %v", goal)
			}
			p.run(exitAnswered, "sessions", "clear")
			p.checkCourse(0, 0)
			p.run(exitAnswered, "run", "--continue", "Anew")
			p.checkCourse(1, 4)
		})
	}
}

// checkCourse checks the course of the last session, which has so many
// statements and calls, and returns it.
func (p *place) checkCourse(statements, calls int) courseLine {
	p.t.Helper()
	events := parseEvents(p.t, p.run(exitAnswered, "log", "--json").out.String())
	c := newCourse()
	for _, e := range events {
		if e.Kind == ikigai.KindFeedback {
			var d ikigai.FeedbackData
			must(p.t, json.Unmarshal(e.Data, &d))
			then := ikigai.FeedbackData{Turn: d.Turn, Turns: d.Turns, Goal: c.purpose.Goal(), Objective: c.purpose.Objective(), Tools: c.tally.Tools()}
			if diff := cmp.Diff(then, d); diff != "" {
				p.t.Errorf("what the log made, and what event %d told:\n%s", e.Seq, diff)
			}
		}
		c.Add(e)
	}
	var told courseLine
	must(p.t, json.Unmarshal([]byte(p.run(exitAnswered, "goal", "--json").out.String()), &told))
	if diff := cmp.Diff(c.line(told.Session), told, cmpopts.EquateEmpty()); diff != "" {
		p.t.Errorf("what the log makes, and what is told (-log +told):\n%s", diff)
	}
	n := 0
	for _, tool := range told.Tools {
		n += tool.Succeeded + tool.Failed
	}
	if len(told.Objectives) != statements || n != calls {
		p.t.Errorf("%d objectives and %d calls, want %d and %d", len(told.Objectives), n, statements, calls)
	}
	var touched []string
	for _, u := range told.Resources {
		touched = append(touched, strings.TrimPrefix(u.URI, p.work+"/"))
	}
	if calls > 0 && (len(touched) < 2 || !strings.Contains(strings.Join(touched, " "), "a.txt") || !strings.Contains(strings.Join(touched, " "), "b.txt")) {
		p.t.Errorf("resources %v", touched)
	}
	return told
}
