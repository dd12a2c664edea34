//go:build unix && !linux

package process

import (
	"os"
	"sync"
	"time"

	"ikigai/internal/crash"
)

// streams are our ends of the two streams of a command.
type streams struct {
	ours [2]*os.File
}

// openStreams returns the streams and the ends that are the command's.
func openStreams() (s *streams, theirs [2]*os.File, err error) {
	s = &streams{}
	for i := range theirs {
		if s.ours[i], theirs[i], err = os.Pipe(); err != nil {
			s.close()
			for _, f := range theirs {
				_ = f.Close()
			}
			return s, theirs, err
		}
	}
	return s, theirs, nil
}

// read takes both streams in, until both are at their end or stop is called.
func (s *streams) read(k *capture) {
	var readers sync.WaitGroup
	for i, f := range s.ours {
		readers.Go(func() {
			in := inlet{stream: i, capture: k}
			defer in.end()
			defer crash.Guard()
			for {
				n, err := f.Read(in.space())
				in.took(n)
				if err != nil {
					return
				}
			}
		})
	}
	readers.Wait()
}

// stop makes read return soon.
func (s *streams) stop() {
	for _, f := range s.ours {
		_ = f.SetReadDeadline(time.Now())
	}
}

func (s *streams) close() {
	for _, f := range s.ours {
		_ = f.Close()
	}
}
