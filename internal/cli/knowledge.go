package cli

import (
	"fmt"
	"path/filepath"
	"slices"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/knowledge"
	"ikigai/internal/trust"
)

// knowledge returns the instructions and skills that a new session in the working
// directory is told of: the person's own, and those of the project as far as it may
// act, from the bytes that were judged.
func (a *app) knowledge() knowledge.Knowledge { return a.knowledgeOf(a.project) }

// knowledgeOf is knowledge where the project is t.
func (a *app) knowledgeOf(t projectTrust) knowledge.Knowledge {
	if !a.settings.Instructions {
		return knowledge.Knowledge{}
	}
	var files knowledge.Files
	var problems []string
	if own := a.userPlace("XDG_CONFIG_HOME", ".config", ""); own != "" {
		files, problems = knowledge.Own(own)
	}
	if t.project != nil {
		files.Instructions = append(files.Instructions, t.texts(t.place.Instructions)...)
		files.Skills = append(files.Skills, t.texts(t.place.Skills)...)
		if t.allowed || t.project.Empty() { // else they are told that nothing of it counts
			problems = append(problems, t.project.Passed...)
		}
	}
	k := knowledge.Gather(files)
	k.Problems = append(problems, k.Problems...)
	if n := len(k.Problems) - mostPassed; n > 0 {
		k.Problems = append(k.Problems[:mostPassed], fmt.Sprintf("%d more instructions and skills are passed over or cut. Repair those named first.", n))
	}
	return k
}

// mostPassed bounds what a person is told when a session begins.
const mostPassed = 5

// texts returns files of the project as they were judged, none if it may not act.
func (t projectTrust) texts(paths []string) []knowledge.File {
	if !t.allowed {
		return nil
	}
	var files []knowledge.File
	for _, path := range paths {
		if content, ok := t.project.Text(t.place.Top, path); ok {
			files = append(files, knowledge.File{Path: filepath.Join(t.place.Top, path), Content: content})
		}
	}
	return files
}

// nestedNotes returns what tells the model of instructions in the directories below, nil
// where nobody is to be told of any: they are off, or nobody has said that the project
// may act. That it brings nothing else is no reason to send the model there.
func (o *opening) nestedNotes() func([]ikigai.Resource) string {
	if !o.settings.Instructions || !o.project.allowed && !o.trusting.accept {
		return nil
	}
	return o.nested.Note
}

// wanted reports whether anything of what a project brings is of use to the command:
// texts are where a model works, unless the person has them off, and commands where
// a person types them. Whether the project's own settings have does not count, as
// they are not trusted.
func (a *app) wanted(p *trust.Project) bool {
	acts := func(i trust.Item) bool {
		switch i.Kind {
		case trust.KindInstructions, trust.KindSkill:
			return false
		case trust.KindCommand:
			return a.trusting.typed
		}
		return true
	}
	isCommand := func(i trust.Item) bool { return i.Kind == trust.KindCommand }
	switch {
	case p.Problem != "" || a.trusting.require && !a.trusting.ask || slices.ContainsFunc(p.Items, acts):
		return true
	case !a.trusting.ask && !a.trusting.texts || !slices.ContainsFunc(p.Items, func(i trust.Item) bool { return !isCommand(i) }):
		return false
	}
	settings, _, err := config.Load(a.input())
	return err != nil || settings.Instructions
}
