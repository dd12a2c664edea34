package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/scriptserver"
)

// endpoint returns where the model is reached, and a function that ends what
// was started for it: nothing, or the server of a script.
func (a *app) endpoint(ctx context.Context, script string) (config.Endpoint, func(), error) {
	if script == "" {
		e, err := a.settings.Resolve(ctx, a.keys())
		if err != nil {
			return e, nil, err
		}
		a.hidden.add(e.Key)
		a.tellOfLevel(e)
		a.findFallbacks(ctx)
		return e, func() {}, nil
	}
	s, err := readScript(script)
	if err != nil {
		return config.Endpoint{}, nil, err
	}
	return a.serve(s)
}

// tellOfLevel tells the person when the level that they asked for is not sent.
func (a *app) tellOfLevel(e config.Endpoint) {
	if e.Level == "" {
		return
	}
	if _, ok := e.Known.Levels[e.Level]; ok {
		return
	}
	levels := "It can be set in models under " + e.Name + ", as levels."
	if known := slices.DeleteFunc(ikigai.Levels(), func(l ikigai.Level) bool { return e.Known.Levels[l] == ikigai.Thinking{} }); len(known) > 0 {
		levels = "It knows " + joined(known) + "."
	}
	a.notice(fmt.Sprintf("How %s is told to think at the level %s is not known, so it decides itself. %s", e.Name, e.Level, levels))
}

func joined(levels []ikigai.Level) string {
	var all []string
	for _, l := range levels {
		all = append(all, string(l))
	}
	return strings.Join(all, ", ")
}

func readScript(path string) (*scriptserver.Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("The script "+path+" cannot be read: "+err.Error(), "Check the path")
	}
	return scriptserver.Parse(path, src)
}

// scriptVendor begins the names of models that a script plays.
const scriptVendor = "script/"

// scripted reports whether a script that was named on the command line plays the
// model.
func scripted(e config.Endpoint) bool { return strings.HasPrefix(e.Name, scriptVendor) }

// serve starts a server that plays a script and returns its endpoint.
func (a *app) serve(s *scriptserver.Script) (config.Endpoint, func(), error) {
	e, server, err := a.serveScript(s)
	return e, func() { _ = server.Close() }, err // it holds nothing that could be lost
}

// serveScript starts a server that plays a script. The caller closes it.
func (a *app) serveScript(s *scriptserver.Script) (config.Endpoint, *scriptserver.Server, error) {
	server, err := scriptserver.Start(s)
	if err != nil {
		return config.Endpoint{}, nil, err
	}
	a.script = s
	return a.scriptedEndpoint(scriptVendor+filepath.Base(s.Name), server.URL), server, nil
}

// scriptedEndpoint returns where a model that a script plays is reached.
func (a *app) scriptedEndpoint(name, url string) config.Endpoint {
	return config.Endpoint{
		Name: name, Model: "scripted", API: config.APIChat, BaseURL: url, ToolProtocol: a.settings.ToolProtocol,
		Level: ikigai.Level(a.settings.Thinking), Timeouts: a.settings.Timeouts, MaxRetries: a.settings.MaxRetries,
	}
}
