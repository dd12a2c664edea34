package mcp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

// FuzzMessages: messages come through unchanged and in order, whatever stands
// between them and however the stream is split.
func FuzzMessages(f *testing.F) {
	f.Add("Starting…\n", "[INFO] up")
	f.Add(`{"level":"info"}`, "\x00\xff\r")
	f.Add("", "null")
	f.Fuzz(func(t *testing.T, a, b string) {
		noise := func(s string) string {
			s = strings.ReplaceAll(s, "jsonrpc", "")
			return strings.ReplaceAll(s, "\r", " ") + "\n"
		}
		first, second := `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n", `[{"jsonrpc":"2.0","method":"x"}]`+"\r\n"
		stream := noise(a) + first + noise(b) + second + noise(a)
		for _, r := range []io.Reader{strings.NewReader(stream), iotest.OneByteReader(strings.NewReader(stream))} {
			got, err := io.ReadAll(newMessages(r, &tail{}, new(atomic.Bool)))
			if string(got) != first+second || err != nil {
				t.Errorf("%q became %q, %v", stream, got, err)
			}
		}
	})
}

// A message that is too large is an error, not a lot of memory.
func TestMessageTooLarge(t *testing.T) {
	over := new(atomic.Bool)
	m := newMessages(io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","result":"`), endless('x')), &tail{}, over)
	if _, err := io.Copy(io.Discard, m); !errors.Is(err, errTooLarge) || !over.Load() {
		t.Error(err, over.Load())
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestTail(t *testing.T) {
	var k tail
	for range 100 {
		if _, err := k.Write(bytes.Repeat([]byte("0123456789\n"), 100)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.Write([]byte("last\x00 line\n")); err != nil {
		t.Fatal(err)
	}
	if got := k.last(2); got != "0123456789\nlast\uFFFD line" || len(k.kept) > maxTail {
		t.Errorf("%q, %d bytes", got, len(k.kept))
	}
}
