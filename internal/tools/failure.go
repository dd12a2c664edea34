package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"ikigai"
)

// fileFailure returns the failure that an error of the file system is. verb is
// what was to be done with path, as in "read".
func fileFailure(verb, path string, err error) ikigai.Result {
	p := display(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ikigai.Failure(codeFileNotFound, "File not found: "+p, "Check the path exists")
	case errors.Is(err, syscall.EROFS):
		return ikigai.Failure(codeReadOnly, fmt.Sprintf("Cannot %s %s: the file system is read-only", verb, p), "Use another place")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ikigai.Failure(codeFileError, fmt.Sprintf("Cannot %s %s: it gives nothing for now", verb, p), "Use bash with timeout, if it is really meant")
	case errors.Is(err, errChanged):
		return ikigai.Failure(codeStaleFile, fmt.Sprintf("Cannot %s %s: it was changed by somebody else at this moment", verb, p), "Read it again, then try again; nothing was changed")
	case errors.Is(err, fs.ErrPermission):
		return ikigai.Failure(codePermission, fmt.Sprintf("Cannot %s %s: permission denied", verb, p), "Check its owner and mode, or use another path")
	case errors.Is(err, syscall.EISDIR):
		return isDirectory(path)
	case errors.Is(err, syscall.ENOTDIR):
		return ikigai.Failure(codeNotDirectory, fmt.Sprintf("Cannot %s %s: a part of the path is a file, not a directory", verb, p), "Check the path")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return ikigai.Failure(codeDiskFull, fmt.Sprintf("Cannot %s %s: no space left on the device", verb, p), "Free some space, or use another place")
	case errors.Is(err, syscall.ELOOP):
		return ikigai.Failure(codeFileError, fmt.Sprintf("Cannot %s %s: its symbolic links go round in circles", verb, p), "Check them with ls -l")
	}
	return ikigai.Failure(codeFileError, fmt.Sprintf("Cannot %s %s: %v", verb, p, cause(err)), "Check the path with ls -l")
}

func isDirectory(path string) ikigai.Result {
	return ikigai.Failure(codeIsDirectory, "Path "+display(path)+" is a directory, not a file", "Name a file; glob lists those in a directory")
}

func notRegular(path string, mode fs.FileMode) ikigai.Result {
	kind := "a device"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return ikigai.Failure(codeNotRegular, fmt.Sprintf("Path %s is %s, not a file", display(path), kind), "Use bash if it is really meant")
}

// cause returns the reason of an error of the file system without the path.
func cause(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}
