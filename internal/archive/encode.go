package archive

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"ikigai"
)

// appendEvent appends the line of e. Its data must be nil or valid JSON.
func appendEvent(b []byte, e *ikigai.Event) []byte {
	b = appendText(append(b, `{"session":`...), string(e.Session))
	b = strconv.AppendInt(append(b, `,"seq":`...), int64(e.Seq), 10)
	b = appendText(append(b, `,"id":`...), string(e.ID))
	b = appendText(append(b, `,"interaction":`...), e.Interaction)
	b = appendText(append(b, `,"kind":`...), string(e.Kind))
	b = strconv.AppendInt(append(b, `,"time":`...), int64(e.Time), 10)
	b = appendText(append(b, `,"content":`...), e.Content)
	switch {
	case e.Data == nil:
	case embeds(e.Data):
		b = append(append(b, `,"data":`...), e.Data...)
	default:
		b = appendText(append(b, `,"data_text":`...), string(e.Data))
	}
	return append(b, "}\n"...)
}

// embeds reports whether JSON text can stand in a line and be read back byte
// for byte. In JSON, line ends stand between values only.
func embeds(data []byte) bool {
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	return len(data) > 0 && !blank(data[0]) && !blank(data[len(data)-1]) &&
		bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0
}

// appendBlob appends the line of a blob.
func appendBlob(b []byte, hash string, content []byte) []byte {
	b = appendText(append(b, `{"line":"blob","hash":`...), hash)
	b = append(b, `,"base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, content)
	return append(b, "\"}\n"...)
}

// appendLine appends v, one of the other lines.
func appendLine(b []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("archive: a line of %T: %v", v, err)) // they hold texts and numbers
	}
	return append(append(b, text...), '\n')
}

const hexDigits = "0123456789abcdef"

// appendText appends s as a JSON string. Only what must be escaped is.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[plain:i]...)
		plain = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
		}
	}
	b = append(b, s[plain:]...)
	return append(b, '"')
}

// checkEvent returns an error if a line cannot hold e. Stores refuse such
// events, so that only a damaged store has one.
func checkEvent(e *ikigai.Event) error {
	for _, text := range []string{string(e.Session), string(e.ID), e.Interaction, string(e.Kind), e.Content} {
		if !utf8.ValidString(text) {
			return fmt.Errorf("event %d of session %s holds text that is no UTF-8", e.Seq, e.Session)
		}
	}
	if e.Data != nil && (!utf8.Valid(e.Data) || !json.Valid(e.Data)) {
		return fmt.Errorf("event %d of session %s holds data that is no JSON", e.Seq, e.Session)
	}
	return nil
}

const hashLen = 64

// eachHash calls f with everything in data that may be the hash of a blob:
// every JSON string of 64 hexadecimal digits in lower case.
func eachHash(data []byte, f func(hash string)) {
	for {
		i := bytes.IndexByte(data, '"')
		if i < 0 || len(data) < i+hashLen+2 {
			return
		}
		data = data[i+1:]
		if data[hashLen] == '"' && isHash(data[:hashLen]) {
			f(string(data[:hashLen]))
			data = data[hashLen+1:]
		}
	}
}

func isHash(b []byte) bool {
	for _, c := range b {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
