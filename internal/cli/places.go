package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"ikigai"
)

// places are the directories and files that belong to a database: what must
// outlive a failure of the database lies beside it.
type places struct{ database string }

func (p places) root() string { return filepath.Dir(p.database) }

// journals returns the directories for what the database does not take: one
// beside it, and one on what is probably another disk.
func (p places) journals() []string {
	return []string{
		filepath.Join(p.root(), "journal"),
		filepath.Join(os.TempDir(), fmt.Sprintf("ikigai-%d", os.Getuid()), "journal"),
	}
}

func (p places) session(id ikigai.ID) string {
	return filepath.Join(p.root(), "sessions", string(id))
}

// partial is the file for what is shown of an unfinished reply.
func (p places) partial(id ikigai.ID) string { return filepath.Join(p.session(id), "partial") }

// output is the directory for full outputs of tools.
func (p places) output(id ikigai.ID) string { return filepath.Join(p.session(id), "output") }
