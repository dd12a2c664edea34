package cli

import (
	_ "embed"
	"strings"

	"ikigai"
	"ikigai/internal/knowledge"
)

//go:embed system.md
var systemTemplate string

// system returns the event of a new session's system prompt: the program's own
// words, the surroundings, instructions and skills. It is made once. Whatever
// changes later, a session goes on with the prompt that it has recorded, and so
// does its fork. The person is told of what was passed over.
func (a *app) system(notice func(string)) ikigai.Event {
	k := a.knowledge()
	for _, p := range k.Problems {
		notice(inOneLine(p))
	}
	program := strings.TrimSpace(systemTemplate) + "\n\n"
	environment := knowledge.Environment(a.dir, a.now())
	d := k.Data(a.dir)
	d.Program, d.Environment = len(program), len(environment)
	return ikigai.NewEvent(ikigai.KindSystem, program+environment+k.Prompt(a.dir), d)
}
