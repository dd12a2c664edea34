//go:build !unix

package tui

import "os"

// continued would tell that the program goes on, where programs can be stopped.
type continued chan os.Signal

func (continued) begin()     {}
func (continued) end()       {}
func (continued) stopGroup() {}
