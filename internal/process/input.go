package process

import "os"

// input feeds a command what it reads. The zero input feeds nothing: the
// command reads /dev/null.
type input struct {
	ours *os.File
	fed  chan struct{} // closed when nothing is written any more
}

// openInput returns the input for data and the end that is the command's, nil
// if there is nothing to feed.
func openInput(data []byte) (in input, theirs *os.File, err error) {
	if len(data) == 0 {
		return input{}, nil, nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return input{}, nil, err
	}
	in = input{ours: ours, fed: make(chan struct{})}
	go func() {
		defer close(in.fed)
		_, _ = ours.Write(data) // a command need not read
		_ = ours.Close()
	}()
	return in, theirs, nil
}

// close ends the feeding, whoever may still read.
func (in input) close() {
	if in.ours != nil {
		_ = in.ours.Close() // where it is closed already, all was written
		<-in.fed
	}
}
