package process

import "time"

// Info is what is known of a process that somebody else started.
type Info struct {
	PID     int
	Command string
	Since   time.Time
}
