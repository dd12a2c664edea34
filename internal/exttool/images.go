package exttool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"ikigai"
	"ikigai/internal/resource"
)

// What a result may hold of images. What is larger would be let go before it
// is sent.
const (
	maxImages     = 20
	maxImageBytes = 16 << 20 // of all together
)

// images takes paths, and {media_type, data} with the bytes in base64. What
// cannot be taken is told in words.
func images(raw json.RawMessage, dir string) (parts []ikigai.Part, left []string) {
	var list []json.RawMessage
	if string(raw) == "null" {
		return nil, nil
	}
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	room := int64(maxImageBytes)
	for i, one := range list {
		name, content, err := image(one, dir, room)
		switch {
		case i >= maxImages:
			return parts, append(left, fmt.Sprintf("%d images were left out: a result has at most %d.", len(list)-maxImages, maxImages))
		case err != nil:
			left = append(left, fmt.Sprintf("The image %s was left out: %v.", name, err))
		default:
			room -= int64(len(content))
			parts = append(parts, ikigai.Part{Type: ikigai.PartImage, Name: name, Bytes: content, Size: int64(len(content))})
		}
	}
	return parts, left
}

// image returns one image of at most room bytes, and what to call it.
func image(raw json.RawMessage, dir string, room int64) (name string, content []byte, err error) {
	var of struct {
		Path string `json:"path"`
		Name string `json:"name"`
		Data []byte `json:"data"`
	}
	if json.Unmarshal(raw, &of.Path) != nil {
		if err := json.Unmarshal(raw, &of); err != nil {
			return excerpt(raw, 40), nil, errNoImage
		}
	}
	if of.Path == "" {
		if len(of.Data) == 0 {
			return excerpt(raw, 40), nil, errNoImage
		}
		if int64(len(of.Data)) > room {
			return of.Name, nil, errTooLarge
		}
		return of.Name, of.Data, nil
	}
	name = filepath.Base(of.Path)
	content, err = readRegular(resource.Name(of.Path, dir), room)
	return name, content, err
}

var errNoImage = errors.New("it is neither a path nor {media_type, data} with base64")

var errTooLarge = fmt.Errorf("the images of a result are %d MiB together at most", maxImageBytes>>20)

// readRegular reads a file of at most room bytes. It does not wait for the other
// end of a pipe.
func readRegular(path string, room int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case info.Size() > room:
		return nil, errTooLarge
	}
	return io.ReadAll(io.LimitReader(f, room))
}
