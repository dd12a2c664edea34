package cli

import (
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
func (a *app) knowledge() knowledge.Knowledge {
	if !a.settings.Instructions {
		return knowledge.Knowledge{}
	}
	var files knowledge.Files
	var problems []string
	if own := a.userPlace("XDG_CONFIG_HOME", ".config", ""); own != "" {
		files, problems = knowledge.Own(own)
	}
	if t := a.project; t.project != nil {
		files.Instructions = append(files.Instructions, t.texts(t.place.Instructions)...)
		files.Skills = append(files.Skills, t.texts(t.place.Skills)...)
		problems = append(problems, t.project.Passed...)
	}
	k := knowledge.Gather(files)
	k.Problems = append(problems, k.Problems...)
	return k
}

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
// where nobody is to be told of any: they are off, or the project may not act.
func (o *opening) nestedNotes() func([]ikigai.Resource) string {
	t := o.project
	if !o.settings.Instructions || t.project != nil && !t.project.Empty() && !t.allowed {
		return nil
	}
	return o.nested.Note
}

// wanted reports whether anything of what a project brings is of use to the command:
// texts are where a model works, unless the person has them off. Whether the project's
// own settings have does not count, as they are not trusted.
func (a *app) wanted(p *trust.Project) bool {
	isText := func(i trust.Item) bool { return i.Kind == trust.KindInstructions || i.Kind == trust.KindSkill }
	switch {
	case p.Problem != "" || a.trusting.require && !a.trusting.ask || slices.ContainsFunc(p.Items, func(i trust.Item) bool { return !isText(i) }):
		return true
	case !a.trusting.ask && !a.trusting.texts:
		return false
	}
	settings, _, err := config.Load(a.input())
	return err != nil || settings.Instructions
}
