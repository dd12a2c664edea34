package tools

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ikigai"
	"ikigai/internal/media"
)

// mostImage is the most bytes of an image that is read. A larger one is made
// smaller before it is sent, in memory.
const mostImage = 64 << 20

// readMedia shows the model an image or a document: some words about it, and the
// thing itself. r gives its bytes.
func readMedia(path, kind string, resource ikigai.Resource, r io.Reader) (ikigai.Result, error) {
	part := ikigai.Part{Type: ikigai.PartImage, Media: kind, Name: filepath.Base(path)}
	most := int64(mostImage)
	name := strings.ToUpper(kind[strings.IndexByte(kind, '/')+1:])
	if kind == media.PDF {
		part.Type, most = ikigai.PartFile, media.MaxAttached
	}
	if kind == media.HEIC || kind == media.AVIF {
		return ikigai.Failure(codeBinary, fmt.Sprintf("File %s is a %s image, which cannot be shown", display(path), name), "Convert it to PNG or JPEG with bash, and read that"), nil
	}
	raw, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return ikigai.Result{}, err
	}
	if int64(len(raw)) > most {
		do := "Make a smaller image of it with bash, and read that"
		if kind == media.PDF {
			do = "Take out the pages or the text that matter with bash, and read that"
		}
		return ikigai.Failure(codeTooLarge, fmt.Sprintf("File %s is larger than %s, too large to be shown", display(path), size(most)), do), nil
	}
	if err := media.Damage(raw); err != nil {
		return ikigai.Failure(codeBinary, fmt.Sprintf("File %s begins as %s but %v", display(path), name, err), "Make it anew, or look into it with bash"), nil
	}
	words := fmt.Sprintf("%s document, %s", name, size(int64(len(raw))))
	if width, height, ok := media.Dimensions(raw); ok {
		words = fmt.Sprintf("%s image, %d x %d pixels, %s", name, width, height, size(int64(len(raw))))
	}
	part.Bytes = raw
	resource.SHA256 = hashOf(raw)
	return ikigai.Result{
		Output: append(ikigai.JSONOutput(fileReadOutput{Output: words}), part), Report: words,
		Resources: []ikigai.Resource{resource}, Front: []ikigai.Fact{{Name: "file", Value: path}},
	}, nil
}
