package archive

import (
	"encoding/json"

	"ikigai"
)

// The lines beside those of events, as they are written.

type headLine struct {
	Line     string        `json:"line"` // "archive"
	Format   string        `json:"format"`
	Version  int           `json:"version"`
	By       string        `json:"by,omitempty"`
	Written  ikigai.Micros `json:"written,omitempty"`
	Sessions int64         `json:"sessions"`
	Events   int64         `json:"events"`
}

type sessionLine struct {
	Line    string        `json:"line"` // "session"
	ID      ikigai.ID     `json:"id"`
	Dir     string        `json:"dir"`
	Title   string        `json:"title"`
	Created ikigai.Micros `json:"created"`
	Parent  ikigai.ID     `json:"parent,omitempty"`
	Base    ikigai.Seq    `json:"base,omitempty"`
}

type endLine struct {
	Line string `json:"line"` // "end"
	Contents
	SHA256 string `json:"sha256"` // of all bytes before this line
}

// Contents is what an archive holds, as its last line says.
type Contents struct {
	Sessions int64 `json:"sessions"`
	Events   int64 `json:"events"`
	Blobs    int64 `json:"blobs"`

	Redacted         int64 `json:"redacted"`                    // texts that were changed
	RedactedBlobs    int64 `json:"redacted_blobs,omitempty"`    // blobs that were changed
	RedactedRequests int64 `json:"redacted_requests,omitempty"` // requests that cannot be rebuilt for it
}

// anyLine is any line, as it is read.
type anyLine struct {
	Line string `json:"line"`

	// Of an event.
	Session     ikigai.ID       `json:"session"`
	Seq         ikigai.Seq      `json:"seq"`
	ID          ikigai.ID       `json:"id"` // and of a session
	Interaction string          `json:"interaction"`
	Kind        ikigai.Kind     `json:"kind"`
	Time        ikigai.Micros   `json:"time"`
	Content     string          `json:"content"`
	Data        json.RawMessage `json:"data"`
	DataText    *string         `json:"data_text"`

	// Of a session.
	Parent ikigai.ID  `json:"parent"`
	Base   ikigai.Seq `json:"base"`

	// Of a blob.
	Hash   string `json:"hash"`
	Base64 []byte `json:"base64"`

	// Of the first and the last line.
	Format  string `json:"format"`
	Version int    `json:"version"`
	Contents
	SHA256 string `json:"sha256"`
}

func (l *anyLine) event() ikigai.Event {
	e := ikigai.Event{
		Session: l.Session, Seq: l.Seq, ID: l.ID, Interaction: l.Interaction, Kind: l.Kind,
		Time: l.Time, Content: l.Content, Data: l.Data,
	}
	if l.DataText != nil {
		e.Data = json.RawMessage(*l.DataText)
	}
	return e
}
