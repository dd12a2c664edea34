package tools

import (
	"encoding/json"
	"fmt"
	"strings"
)

// member is a member of a tool's output, as models are told of it where tools
// are presented as text. It is of plain ASCII.
type member struct{ name, kind, words string }

// returns is the JSON Schema of an object of the given members, in their order.
func returns(all ...member) json.RawMessage {
	members := make([]string, len(all))
	for i, m := range all {
		members[i] = fmt.Sprintf(`%q:{"type":%q,"description":%q}`, m.name, m.kind, m.words)
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(members, ",") + "}}")
}

var (
	exitCode  = member{"exit_code", "integer", "Process exit code (0 = success)"}
	truncated = member{"truncated", "boolean", "Whether output was truncated"}
)

const truncationWarning = "Truncated output includes warning message"

// limits says how much of an output is shown.
func (cfg Config) limits(most ...string) []string {
	return append(most, "output: "+size(int64(cfg.MaxOutput))+" max", truncationWarning)
}

func entries(n int, what string) string { return fmt.Sprintf("output: %d %s max", n, what) }
