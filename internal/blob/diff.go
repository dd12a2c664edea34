package blob

import "errors"

// Diff returns a packed difference that, with base, gives target again. It is
// useful when the two have long runs in common, wherever those stand.
func Diff(base, target []byte) []byte {
	return append([]byte{0}, deflate(target)...)
}

// Patch is the inverse of Diff: it returns the target, of which no more than
// size bytes and one are made.
func Patch(base, diff []byte, size int) ([]byte, error) {
	if len(diff) == 0 || diff[0] != 0 {
		return nil, errors.New("the difference does not have the form of one")
	}
	return inflate(diff[1:], size)
}
