package cli

import (
	"ikigai"
	"ikigai/internal/agent"
	"ikigai/internal/config"
	"ikigai/internal/history"
)

// standing is how the session stands, for the feedback.
type standing struct {
	*history.Purpose
	*history.Tally
	off bool // no objectives are wanted, and no goal but the person's
}

func (o *opening) standing() agent.Standing {
	return standing{Purpose: o.purpose, Tally: o.tally, off: o.settings.Objectives == config.ObjectivesOff}
}

// Goal implements agent.Standing.
func (s standing) Goal() string {
	if s.off && s.GoalBy() != ikigai.ByPerson {
		return ""
	}
	return s.Purpose.Goal()
}

// Objective implements agent.Standing.
func (s standing) Objective() string {
	if s.off {
		return ""
	}
	return s.Purpose.Objective()
}
