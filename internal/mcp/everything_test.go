package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ikigai"
)

// Every tool of the reference server is called, over real pipes, and nothing of
// it is left running.
func TestEverything(t *testing.T) {
	node, server := needNode(t), needModule(t, "@modelcontextprotocol/server-everything/dist/index.js")
	mark := fmt.Sprintf("IKIGAI_TEST_MARK=%d", os.Getpid())
	s := start(t, "", func(c *Config, target *Server) {
		target.Command, target.Args = node, []string{server, "stdio"}
		c.Env = append(c.Env, mark)
		c.SpillDir = filepath.Join(c.Dir, "spill")
	})
	s.Await(s.ctx)
	called := 0
	for _, tool := range s.Tools() {
		if tool.Name == "mcp_read" {
			continue
		}
		called++
		args, ok := everythingArgs[strings.TrimPrefix(tool.Name, "mcp__test__")]
		if !ok {
			args = `{}`
		}
		checked, err := tool.Check(json.RawMessage(args))
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			continue
		}
		r := tool.Run(s.ctx, ikigai.Call{Args: checked})
		// The SDK does not know the tasks of an experimental extension.
		refused := strings.Contains(text(r), "requires task augmentation")
		if len(r.Output) == 0 || !json.Valid([]byte(r.Output[0].Text)) || r.Failed != refused {
			t.Errorf("%s: %+v", tool.Name, r)
		}
	}
	if called < 13 {
		t.Errorf("%d tools were called", called)
	}
	if got := text(s.run("get-structured-content", `{"location":"Chicago"}`)); !strings.Contains(got, `"temperature":`) || strings.Contains(got, `"output"`) {
		t.Errorf("structured content: %s", got)
	}
	image := s.run("get-tiny-image", "")
	if !slices.ContainsFunc(image.Output, func(p ikigai.Part) bool { return p.Type == ikigai.PartImage && len(p.Bytes) > 0 }) {
		t.Errorf("%+v", image)
	}
	s.Close()
	if left := processesWith(t, mark); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
}

var everythingArgs = map[string]string{
	"echo":                           `{"message":"hi"}`,
	"get-annotated-message":          `{"messageType":"error","includeImage":true}`,
	"get-resource-links":             `{"count":3}`,
	"get-resource-reference":         `{"resourceType":"Text","resourceId":1}`,
	"get-structured-content":         `{"location":"New York"}`,
	"get-sum":                        `{"a":1,"b":2}`,
	"gzip-file-as-resource":          `{"name":"a.gz","data":"data:text/plain,abc","outputType":"resource"}`,
	"trigger-long-running-operation": `{"duration":1,"steps":2}`,
	"simulate-research-query":        `{"topic":"tea"}`,
}

// processesWith returns the processes that run with a variable in their
// environment.
func processesWith(t *testing.T, variable string) (pids []string) {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(env, []byte(variable)) {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}
