package toolkit

// Extra is what a tool has to say beside its output. Embed it in the type of
// the output: its members are taken out before a model sees the rest.
type Extra struct {
	Note        string     `json:"_note,omitempty"`        // to the model: about the run, where the output needs explanation
	Report      string     `json:"_report,omitempty"`      // to the person: what was done, in a few words
	Resources   []Resource `json:"_resources,omitempty"`   // files and addresses that were read or changed
	Images      []Image    `json:"_images,omitempty"`      // shown to the model
	Frontmatter []string   `json:"_frontmatter,omitempty"` // members of the output that stand ahead of it, in this order
}

// Resource is a file or an address that the tool read or changed.
type Resource struct {
	URI     string `json:"uri"` // a path, relative ones from the working directory, or a URL
	Changed bool   `json:"changed,omitempty"`
}

// Image is an image for the model: a path, or the bytes.
type Image struct {
	Path string `json:"path,omitempty"`
	Name string `json:"name,omitempty"`
	Type string `json:"media_type,omitempty"` // such as image/png
	Data []byte `json:"data,omitempty"`
}
