package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ikigai"
	"ikigai/internal/race"
)

func blobs(t *testing.T, b *bench) {
	noise := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(noise)
	all := []ikigai.Blob{
		Blob([]byte("text\n")),
		Blob(bytes.Repeat([]byte("well compressible "), 50_000)),
		Blob(noise),
		Blob([]byte{0, 1, 0xff, 0}),
		Blob([]byte{}),
	}
	g, events := b.begin()
	for _, blob := range all {
		n := ikigai.Seq(len(events))
		e := Event(g.Session, n+1, ikigai.KindChange, "/src/f", ikigai.ChangeData{Path: "/src/f", Blob: blob.Hash})
		e.Blobs = []ikigai.Blob{blob, all[0]} // the first one with each event
		b.append(g, n, e)
		events = append(events, e)
	}
	b.want(b.Store, g.Session, events)
	for _, store := range []ikigai.Store{b.Store, b.another()} {
		for i, blob := range all {
			got, err := store.Blob(b.Context(), blob.Hash)
			if err != nil || !bytes.Equal(got, blob.Bytes) {
				t.Errorf("blob %d: %d bytes, %v; want %d bytes", i, len(got), err, len(blob.Bytes))
			}
		}
	}
	if _, err := b.Blob(b.Context(), Blob([]byte("never stored")).Hash); !errors.Is(err, ikigai.ErrNotFound) {
		t.Errorf("a blob that is not there: %v, want ErrNotFound", err)
	}
}

// hostile is text that has broken programs of this kind.
var hostile = map[string]string{
	"quotes":            `'; DROP TABLE events; -- " ` + "`" + ` \' $1 ? :x @y`,
	"percent":           "%s %d %00 _ * [a-z]",
	"line ends":         "a\r\nb\rc\n\u2028d\u2029e\u0085",
	"control":           "\x01\x02\x07\b\v\f\x1b[31m\x1b]0;title\x07\x7f",
	"noncharacters":     "\ufffe\uffff\U0010ffff\ufdd0",
	"replacement":       "\ufffd",
	"byte order mark":   "\ufeffx",
	"combining":         strings.Repeat("e\u0301\u0323", 100),
	"bidirectional":     "\u202eabc\u202c\u2066x\u2069",
	"astral":            "👩‍👩‍👧‍👦 𝒳",
	"blank":             " \t\n ",
	"looks like JSON":   `{"a":"\ud800"}`,
	"looks like number": "9007199254740993",
	"backslashes":       `\\\u0000\x00\`,
}

// rawData is JSON that a store must not parse and print again.
var rawData = map[string]string{
	"big numbers":     `{"a":9007199254740993,"b":1e400,"c":-0,"d":1.0,"e":0.1000000000000000055511151231257827}`,
	"duplicate keys":  `{"a":1,"a":2}`,
	"order and space": "{ \"z\" : 1 ,\n\t\"a\":\t[ ] }",
	"surrogate pair":  `{"a":"\ud83d\ude00"}`,
	"in a string":     `{"a":"{\"b\":\"\\ud800\\u0000\"}"}`,
	"escapes":         `{"a":"\u00e9\/\u003c"}`,
	"HTML":            `{"a":"<b>&amp;</b>"}`,
	"empty":           `{}`,
	"no object":       `[null]`,
}

func hostileText(_ *testing.T, b *bench) {
	g, events := b.begin()
	add := func(content string, data json.RawMessage) {
		e := Event(g.Session, ikigai.Seq(len(events)+1), ikigai.KindToolResult, content, nil)
		e.Data = data
		events = append(events, e)
	}
	for _, text := range hostile {
		add(text, nil)
		quoted, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			b.Fatal(err)
		}
		add("in data", quoted)
	}
	for _, data := range rawData {
		add("raw", json.RawMessage(data))
	}
	const depth = 5000
	add("deep", json.RawMessage(strings.Repeat(`{"a":[`, depth)+strings.Repeat(`]}`, depth)))
	add("", nil)
	b.append(g, 1, events[1:]...)
	b.want(b.another(), g.Session, events)
}

// An event of any size fits, and several of them in one append.
func tenMegabytes(t *testing.T, b *bench) {
	g, events := b.begin()
	long := strings.Repeat("0123456789abcdé\n", 10<<20/17/race.Third)
	for i := range 3 {
		e := Statement(g.Session, ikigai.Seq(i+2), fmt.Sprint(i)+long)
		e.Data = json.RawMessage(`{"output":"` + strings.Repeat("x", 1<<20) + `"}`)
		events = append(events, e)
	}
	b.append(g, 1, events[1:]...)
	got, err := All(b.Context(), b.another(), g.Session)
	if err != nil || len(got) != len(events) {
		t.Fatalf("%d events, %v", len(got), err)
	}
	for i := range got {
		if got[i].Content != events[i].Content || !bytes.Equal(got[i].Data, events[i].Data) {
			t.Errorf("event %d differs", i+1)
		}
	}
}
