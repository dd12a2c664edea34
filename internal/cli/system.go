package cli

import (
	_ "embed"
	"strings"
	"sync"

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
	return a.systemIn(a.dir, a.knowledge(), notice)
}

// systemIn is system for a directory, and what is known there.
func (a *app) systemIn(dir string, k knowledge.Knowledge, notice func(string)) ikigai.Event {
	for _, p := range k.Problems {
		notice(inOneLine(p))
	}
	program := strings.TrimSpace(systemTemplate) + "\n\n"
	environment := knowledge.Environment(dir, a.now())
	d := k.Data(dir)
	d.Program, d.Environment = len(program), len(environment)
	return ikigai.NewEvent(ikigai.KindSystem, program+environment+k.Prompt(dir), d)
}

// prompted is the system prompt of a session, as a projection of its log. The zero
// value is ready.
type prompted struct {
	mu   sync.Mutex
	text string
	told knowledge.Data
}

// Add takes in the next event of the session.
func (p *prompted) Add(e ikigai.Event) {
	if e.Kind != ikigai.KindSystem || e.Interaction != ikigai.Main {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.told = e.Content, knowledge.Data{}
	_ = e.DecodeData(&p.told) // damaged, or of an older version, it tells of no parts
}

// knowledge returns the instructions and skills of the prompt, behind an empty line:
// what holds for whoever works in the session. It is "" where there are none.
func (p *prompted) knowledge() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := p.told.Program + p.told.Environment
	if from <= 0 || from > len(p.text) {
		return ""
	}
	return p.text[from:]
}

// parts returns what the prompt consists of.
func (p *prompted) parts() knowledge.Data {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told
}

// whole returns all of the prompt.
func (p *prompted) whole() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}
