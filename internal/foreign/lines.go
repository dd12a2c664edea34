package foreign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"ikigai"
)

// line is a JSON object of a file.
type line struct {
	number int // from 1
	text   json.RawMessage
	peek
}

// peek is what tells formats apart.
type peek struct {
	Type       string          `json:"type"`
	SessionID  string          `json:"sessionId"`
	SessionID2 string          `json:"session_id"`
	LeafUUID   string          `json:"leafUuid"`
	Payload    json.RawMessage `json:"payload"`
	Message    json.RawMessage `json:"message"`
	Cwd        *string         `json:"cwd"`
	ID         string          `json:"id"`
	Timestamp  any             `json:"timestamp"`
	UUID       string          `json:"uuid"`
	Content    json.RawMessage `json:"content"`
	Git        json.RawMessage `json:"git"`
}

// readLines returns the JSON objects of a file, one from each line, or from
// the list "loglines" if the file is one object that has it. Lines that are no
// JSON objects are left out: broken is the first of them, 0 if there is none.
func readLines(r io.Reader) (lines []line, broken int, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var head []byte
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
		text = bytes.TrimSpace(text)
		if number <= 3 {
			head = append(head, text...)
		}
		if l, ok := parseLine(number, text); ok {
			lines = append(lines, l)
		} else if len(text) > 0 {
			if number == 1 && (string(text) == "{" || bytes.HasPrefix(text, []byte(`{"loglines"`))) {
				rest, err := io.ReadAll(in)
				if err != nil {
					return nil, 0, err
				}
				lines, err := logLines(append(text, rest...))
				return lines, 0, err
			}
			if broken == 0 {
				broken = number
			}
		}
		if err == io.EOF {
			break
		}
	}
	if len(lines) == 1 && bytes.HasPrefix(head, []byte(`{"loglines"`)) {
		lines, err = logLines(lines[0].text)
	}
	return lines, broken, err
}

func parseLine(number int, text []byte) (line, bool) {
	l := line{number: number, text: text}
	if len(text) == 0 || text[0] != '{' || !json.Valid(text) {
		return l, false
	}
	// A member of another type than expected leaves the rest as it is.
	err := json.Unmarshal(text, &l.peek)
	var mismatch *json.UnmarshalTypeError
	return l, err == nil || errors.As(err, &mismatch)
}

// logLines returns the objects in the list "loglines" of an object. Their
// numbers are their places in the list.
func logLines(text []byte) ([]line, error) {
	var file struct {
		LogLines []json.RawMessage `json:"loglines"`
	}
	if json.Unmarshal(text, &file) != nil || len(file.LogLines) == 0 {
		return nil, unknownFormat()
	}
	var lines []line
	for i, text := range file.LogLines {
		if l, ok := parseLine(i+1, text); ok {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Detect returns the format of a file that begins with head, some kilobytes of
// it. The error is an *ikigai.Error of kind usage.
func Detect(head []byte) (Format, error) {
	lines, _, err := readLines(bytes.NewReader(head))
	if err == nil && len(lines) > 0 {
		return detect(lines)
	}
	return detectCut(head)
}

// signs are what the first line of a file holds that is longer than what is
// there of it.
var signs = []struct {
	format Format
	sign   string
}{
	{ClaudeCode, `"loglines"`}, {ClaudeCode, `"parentUuid"`}, {ClaudeCode, `"sessionId"`},
	{Codex, `"session_meta"`}, {Codex, `"instructions"`},
	{Pi, `"thinkingLevel"`},
}

// detectCut returns the format of a file whose first line is cut off.
func detectCut(head []byte) (Format, error) {
	// An object that goes on over lines is no session, but for a list of them.
	start, _, whole := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	if whole && bytes.Contains(head, []byte(`"loglines"`)) && string(bytes.TrimSpace(start)) == "{" {
		return ClaudeCode, nil
	}
	if !whole && bytes.HasPrefix(start, []byte("{")) {
		for _, s := range signs {
			if bytes.Contains(head, []byte(s.sign)) {
				return s.format, nil
			}
		}
	}
	return "", unknownFormat()
}

// detect returns the format of the first line that tells.
func detect(lines []line) (Format, error) {
	for _, l := range lines {
		switch {
		case l.Type == "session" && l.Cwd != nil:
			return Pi, nil
		case l.Type == "session_meta", l.Payload != nil && (l.Type == "response_item" || l.Type == "event_msg" || l.Type == "turn_context"):
			return Codex, nil
		case l.Type == "" && l.ID != "" && l.Git != nil, l.Type == "message" && l.Content != nil && l.Message == nil:
			return Codex, nil // before lines had a payload
		case (l.Type == "user" || l.Type == "assistant") && l.Message != nil, l.Type == "summary" && l.LeafUUID != "",
			l.Type == "file-history-snapshot", l.Type != "" && l.SessionID != "":
			return ClaudeCode, nil
		}
	}
	return "", unknownFormat()
}

func unknownFormat() error {
	return &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: "This is no session file that can be imported",
		Do:   "Name a file that ikigai export has written, or a session of Claude Code, Codex or pi (a .jsonl file)",
	}
}
