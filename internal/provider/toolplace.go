package provider

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"ikigai"
)

// toolPlace finds where a vendor names a tool of the request by its position:
// tools.12.custom.input_schema, tools[3].parameters, tools.[3],
// tools[0].function_declarations[8].parameters, ('body', 'tools', 3, …).
var toolPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\w.\]]|(?i:request|body)\.)tools(?:\[0\]\.function_?[dD]eclarations\[(\d{1,6})\]|(?:\.\[|\[|\.|['"], )(\d{1,6})\b)`)
})

// nameTool has e, which a request with the given tools was refused with, say
// which of them is at fault, where it names one by its position. That number
// means nothing to the person, who can do without that one tool.
func nameTool(e *ikigai.Error, tools []ikigai.ToolSpec) {
	m := toolPlace().FindStringSubmatchIndex(e.What)
	if e.Kind != ikigai.ErrorBadRequest || m == nil {
		return
	}
	from, to := m[2], m[3]
	if from < 0 {
		from, to = m[4], m[5]
		if rest := strings.ToLower(e.What[to:]); strings.HasPrefix(rest, "].function_d") || strings.HasPrefix(rest, "].functiond") {
			return // all of Gemini's
		}
	}
	n, _ := strconv.Atoi(e.What[from:to]) // which six digits always are
	if n >= len(tools) {
		return
	}
	e.Tool = tools[n].Name
	e.What += fmt.Sprintf(" (the tool %s)", e.Tool)
	e.Do = "Leave that tool out, with disabledTools if it is an MCP server's, or have its schema corrected"
}
