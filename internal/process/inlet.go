package process

const (
	firstBuffer = 8 << 10   // enough for most commands
	largeBuffer = 256 << 10 // for those that print much
)

// inlet is where the bytes of one stream come in. It passes whole characters
// on, so that those of the other stream never fall into one.
type inlet struct {
	stream  int
	capture *capture
	buf     []byte
	held    int // bytes at the beginning of buf: a character of which the rest is to come
}

// space returns where the next bytes are to be read to.
func (in *inlet) space() []byte {
	if in.buf == nil {
		in.buf = make([]byte, firstBuffer)
	}
	return in.buf[in.held:]
}

// took takes the first n bytes of the space. It reports whether the buffer has
// grown because they filled it.
func (in *inlet) took(n int) (grown bool) {
	data := in.buf[:in.held+n]
	whole := wholeRunes(data)
	in.capture.add(in.stream, data[:whole])
	if len(data) == len(in.buf) && len(in.buf) < largeBuffer {
		in.buf, grown = make([]byte, largeBuffer), true
	}
	in.held = copy(in.buf, data[whole:])
	return grown
}

// end passes on what is held: nothing follows.
func (in *inlet) end() {
	if in.held > 0 {
		in.capture.add(in.stream, in.buf[:in.held])
		in.held = 0
	}
}
