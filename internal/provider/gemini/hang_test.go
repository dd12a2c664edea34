package gemini

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"ikigai"
	"ikigai/internal/provider"
	"ikigai/internal/providertest"
)

// hanging returns a model whose vendor sends stream and then nothing more, on
// a connection in memory that it leaves open.
func hanging(t *testing.T, stream string) ikigai.Model {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			if r, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
				io.Copy(io.Discard, r.Body)
			}
			io.WriteString(server, "HTTP/1.1 200 OK\r\n\r\n"+stream)
			io.Copy(io.Discard, server) // until the client hangs up
			server.Close()
		}()
		return client, nil
	}
	return New(provider.Config{Name: "acme/x", Model: "x", BaseURL: "http://acme.test", Dial: dial, MaxAttempts: 1})
}

// A vendor that falls silent is waited for two minutes in the middle of a
// reply, and no longer than a moment once the reply is whole.
func TestSilence(t *testing.T) {
	const (
		text = `data: {"candidates":[{"content":{"parts":[{"text":"A"}]}}],"usageMetadata":{"promptTokenCount":3}}` + "\n\n"
		stop = `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n"
	)
	for _, tt := range []struct {
		name, stream string
		after        time.Duration
		want         string
	}{
		{"in the middle", text, 5 * time.Minute, "text \"A\"\nusage {\"input\":3,\"output\":0}\nerror timeout acme sent nothing for 5m0s. Try again.\n"},
		{"after the reason", text + stop, 10 * time.Second, "text \"A\"\nusage {\"input\":3,\"output\":0}\nstop end\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r := providertest.Collect(t, hanging(t, tt.stream), ikigai.Request{})
				if got := r.String(); got != tt.want || time.Since(start) != tt.after {
					t.Errorf("after %v:\n%s", time.Since(start), got)
				}
			})
		})
	}
}

// The person stops in the middle: what came has come, and its cost is told.
func TestStopInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = `data: {"candidates":[{"content":{"parts":[{"text":"A"}]}}],"usageMetadata":{"promptTokenCount":3}}` + "\n\n"
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var r providertest.Reply
		for d, err := range hanging(t, text).Stream(ctx, ikigai.Request{}) {
			if err != nil {
				r.Err = err
				continue
			}
			if err := r.Add(d); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		if r.Text != "A" || r.Usage == nil || ikigai.KindOf(r.Err) != ikigai.ErrorCancelled {
			t.Errorf("%s", r)
		}
	})
}
