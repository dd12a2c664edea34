package process

import (
	"os"

	"ikigai/internal/crash"
)

// input feeds a command what it reads.
type input struct {
	ours *os.File
	fed  chan struct{} // closed when nothing is written any more
}

// openInput returns the input for data and the end that is the command's.
func openInput(data []byte) (in input, theirs *os.File, err error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return input{}, nil, err
	}
	in = input{ours: ours, fed: make(chan struct{})}
	go func() {
		defer close(in.fed)
		defer crash.Guard()
		_, _ = ours.Write(data) // a command need not read
		_ = ours.Close()
	}()
	return in, theirs, nil
}

// close ends the feeding, whoever may still read.
func (in input) close() {
	_ = in.ours.Close() // where it is closed already, all was written
	<-in.fed
}
