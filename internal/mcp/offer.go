package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ikigai"
	"ikigai/internal/crash"
	"ikigai/internal/wholefile"
)

const (
	mostTools      = 1000     // that are taken of one server
	maxDescription = 8 << 10  // bytes of one tool
	maxTool        = 64 << 10 // bytes of one tool, with its schema
	maxOffer       = 2 << 20  // bytes of all tools of one server: every request holds them
	maxCache       = 16 << 20 // bytes of a file that are read

	freeLists = 20          // that are fetched on one connection as they change
	listPause = time.Second // before each one after them
)

// offer is what a server has, as it is kept from one session to the next.
type offer struct {
	Tools     []offered `json:"tools"`
	Resources bool      `json:"resources,omitempty"`
	Prompts   bool      `json:"prompts,omitempty"`
	Server    string    `json:"server,omitempty"` // what it calls itself, with its version
}

// offered is a tool of a server.
type offered struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	ReadOnly    bool            `json:"readOnly,omitempty"`    // it says
	Destructive bool            `json:"destructive,omitempty"` // it says
}

// relist fetches the offer anew. While that is under way, another wish for it is
// taken note of. A server whose offer changes all the time is asked now and then.
func (c *connection) relist() {
	defer crash.Guard()
	c.mu.Lock()
	c.stale = true
	busy, often := c.listing, c.lists >= freeLists
	c.listing = true
	c.mu.Unlock()
	if busy {
		return
	}
	if often {
		select {
		case <-time.After(listPause):
		case <-c.ended:
			return
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	_ = c.list(ctx) // what was known stays; a server that has failed is told of by the next call
}

// list fetches the offer, and once more if it has changed meanwhile.
func (c *connection) list(ctx context.Context) error {
	settled := make(chan struct{})
	defer close(settled)
	c.link.mu.Lock()
	c.link.settled = settled
	c.link.mu.Unlock()
	for last := false; ; last = true {
		c.mu.Lock()
		c.stale = false
		c.lists++
		c.mu.Unlock()
		err := c.do(ctx, func() error { return c.listOnce(ctx) })
		c.mu.Lock()
		changed := c.stale && err == nil
		c.listing = changed && !last
		c.mu.Unlock()
		if changed && last { // nobody waits for a server that never settles
			go c.relist()
		}
		if !changed || last {
			return err
		}
	}
}

func (c *connection) listOnce(ctx context.Context) error {
	var o offer
	init := c.session.InitializeResult()
	if init.ServerInfo != nil {
		o.Server = init.ServerInfo.Name + " " + init.ServerInfo.Version
	}
	if caps := init.Capabilities; caps != nil {
		o.Resources, o.Prompts = caps.Resources != nil, caps.Prompts != nil
		if caps.Tools != nil {
			tools, err := c.listTools(ctx)
			if err != nil {
				return err
			}
			o.Tools = tools
		}
	}
	l := c.link
	l.mu.Lock()
	l.offer = &o
	l.mu.Unlock()
	l.writeCache(&o)
	return nil
}

func (c *connection) listTools(ctx context.Context) ([]offered, error) {
	var all []offered
	left := maxOffer
	for tool, err := range c.session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		t, err := offeredTool(tool)
		if err != nil {
			return nil, err
		}
		size := t.size()
		if size > maxTool {
			c.link.beside.line("Its tool " + clip(tool.Name, 100) + " is too large to be taken.")
			continue
		}
		if left -= size; left < 0 || len(all) == mostTools {
			c.link.beside.line("It offers more tools than are taken.")
			break
		}
		all = append(all, t)
	}
	return all, nil
}

// offeredTool returns what is kept of a tool.
func offeredTool(tool *sdk.Tool) (offered, error) {
	schema, err := json.Marshal(tool.InputSchema)
	t := offered{Name: tool.Name, Title: tool.Title, Description: clip(ikigai.CleanText(tool.Description), maxDescription), Schema: schema}
	if hints := tool.Annotations; hints != nil {
		t.ReadOnly = hints.ReadOnlyHint
		t.Destructive = !hints.ReadOnlyHint && hints.DestructiveHint != nil && *hints.DestructiveHint
		t.Title = cmp.Or(t.Title, hints.Title)
	}
	t.Title = clip(ikigai.CleanText(t.Title), maxDescription)
	return t, err
}

// size returns how many bytes of a request a tool takes, or a few more.
func (t offered) size() int { return len(t.Name) + len(t.Title) + len(t.Description) + len(t.Schema) }

// cacheFile returns the path of the file with what the server offered last
// time. A server whose settings have changed is another one.
func (l *link) cacheFile() string {
	s := l.server
	settings, err := json.Marshal([]any{s.Command, s.Args, s.Env, s.Dir, s.URL, s.SSE, s.Headers})
	if err != nil {
		panic("mcp: settings of a server: " + err.Error())
	}
	sum := sha256.Sum256(settings)
	return filepath.Join(l.cfg.Cache, clip(legal(l.name), 32)+"-"+hex.EncodeToString(sum[:16])+".json")
}

// readCache returns what the server offered last time, nil if that is not known.
func (l *link) readCache() *offer {
	if l.cfg.Cache == "" {
		return nil
	}
	path := l.cacheFile()
	if info, err := os.Stat(path); err != nil || info.Size() > maxCache {
		return nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var o offer
	if json.Unmarshal(raw, &o) != nil {
		return nil // it is written anew
	}
	return &o
}

// writeCache keeps an offer. Where that is not possible, the next session waits
// for the server.
func (l *link) writeCache(o *offer) {
	if l.cfg.Cache == "" {
		return
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return
	}
	path := l.cacheFile()
	_ = os.Remove(l.lateFile()) // mostly there is none
	if before, err := os.ReadFile(path); err == nil && string(before) == string(raw) {
		return
	}
	if err := wholefile.Replace(path, raw); err != nil {
		l.beside.line("What it offers could not be kept: " + err.Error())
	}
}

// lateFile returns the path of the file that says that the server has not answered
// in time when it was waited for. It lies beside the other, which there is none of.
func (l *link) lateFile() string { return l.cacheFile() + ".late" }

// wasLate reports whether the server did not answer in time, in this session or
// one before, and has not since.
func (l *link) wasLate() bool {
	if l.cfg.Cache == "" {
		return false
	}
	_, err := os.Stat(l.lateFile())
	return err == nil
}

// isLate keeps that the server has not answered in time. Where that is not
// possible, the next session waits for it as this one did.
func (l *link) isLate() {
	if l.cfg.Cache != "" {
		_ = wholefile.Replace(l.lateFile(), nil)
	}
	if l.known() != nil { // it has answered meanwhile
		_ = os.Remove(l.lateFile())
	}
}

// hints returns what the server says of a tool, for people.
func (t offered) hints() []string {
	var all []string
	if t.ReadOnly {
		all = append(all, "read-only")
	}
	if t.Destructive {
		all = append(all, "destructive")
	}
	return all
}
