//go:build !unix

package tui

import "os"

// signals is where signals would come where programs can be stopped.
type signals chan os.Signal

func (signals) begin()       {}
func (signals) end()         {}
func (signals) stopGroup()   {}
func stops(s os.Signal) bool { return false }
