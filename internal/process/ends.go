package process

import (
	"os"
	"os/exec"
)

// open opens what cmd reads and prints, sets it there, and returns our ends and
// the files that are the command's.
func open(c Command, cmd *exec.Cmd) (ends, []*os.File, error) {
	if c.Terminal {
		return openTerminal(cmd)
	}
	streams, prints, err := openStreams()
	if err != nil {
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = prints[Stdout], prints[Stderr]
	if len(c.Stdin) == 0 {
		return streams, prints[:], nil
	}
	input, reads, err := openInput(c.Stdin)
	if err != nil {
		closeFiles(prints[:]...)
		streams.close()
		return nil, nil, err
	}
	cmd.Stdin = reads
	return &fed{streams, input}, append(prints[:], reads), nil
}

// fed are the streams of a command that is fed, too.
type fed struct {
	*streams
	input input
}

func (f *fed) close() {
	f.streams.close()
	f.input.close()
}

func closeFiles(files ...*os.File) {
	for _, f := range files {
		_ = f.Close() // nothing waits to be written
	}
}
