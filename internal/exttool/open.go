package exttool

import (
	"context"

	"ikigai"
)

// Open returns the tool that an executable outside of the directories is. The
// error, an *ikigai.Error of kind usage, says why it is none.
func Open(ctx context.Context, cfg Config, path string) (Tool, error) {
	cfg.Patient = true
	f := file{path: path, shown: path}
	problem := f.runnable()
	if problem == nil {
		answer := describeFile(ctx, &cfg, f)
		if answer.Spec != nil {
			return (&Set{cfg: cfg}).tool(f, *answer.Spec), nil
		}
		problem = &Problem{path, answer.What, answer.Do}
	}
	return Tool{}, &ikigai.Error{Kind: ikigai.ErrorUsage, What: path + " is no tool: " + problem.What, Do: problem.Do}
}

// runnable looks at a file that somebody has named: it has to be executable.
func (f *file) runnable() *Problem {
	if problem := f.look(); problem != nil || f.stamp != (stamp{}) {
		return problem
	}
	return &Problem{f.path, "It is no file that can be run", "Name an executable file; a script needs chmod +x"}
}
