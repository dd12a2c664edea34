package cli

import (
	"context"
	"os"
	"path/filepath"

	"ikigai/internal/config"
	"ikigai/internal/scriptserver"
)

// endpoint returns where the model is reached, and a function that ends what
// was started for it: nothing, or the server of a script.
func (a *app) endpoint(ctx context.Context, script string) (config.Endpoint, func(), error) {
	if script == "" {
		e, err := a.settings.Resolve(ctx, config.ShellKeyCommand(a.withoutPassword()))
		a.key = e.Key
		return e, func() {}, err
	}
	s, err := readScript(script)
	if err != nil {
		return config.Endpoint{}, nil, err
	}
	return a.serve(s)
}

func readScript(path string) (*scriptserver.Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("The script "+path+" cannot be read: "+err.Error(), "Check the path")
	}
	return scriptserver.Parse(path, src)
}

// serve starts a server that plays a script and returns its endpoint.
func (a *app) serve(s *scriptserver.Script) (config.Endpoint, func(), error) {
	server, err := scriptserver.Start(s)
	if err != nil {
		return config.Endpoint{}, nil, err
	}
	e := config.Endpoint{
		Name: "script/" + filepath.Base(s.Name), Model: "scripted", API: config.APIChat, BaseURL: server.URL,
		Timeouts: a.settings.Timeouts, MaxRetries: a.settings.MaxRetries,
	}
	return e, func() { _ = server.Close() }, nil // it holds nothing that could be lost
}
