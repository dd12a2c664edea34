package mcp

import (
	"regexp"
	"strings"
	"testing"
)

func TestToolName(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"git", "status", "mcp__git__status"},
		{"my-server", "get_user", "mcp__my-server__get_user"},
		{"a", "b__c", "mcp__a__b__c"},
		{"a__b", "c", "mcp__a__b__c_a92700ce"},
		{"a_", "c", "mcp__a___c_914ca0d3"},
		{"git hub", "x", "mcp__git_hub__x_c9199eac"},
		{"git", "repo.get", "mcp__git__repo_get_6ce7a052"},
		{"ü", "ß", "mcp_______00144cb5"},
	} {
		if got := toolName(c.server, c.tool); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.server, c.tool, got, c.want)
		}
	}
	long := strings.Repeat("long", 30)
	if a, b := toolName("s", long+"1"), toolName("s", long+"2"); a == b || len(a) != maxName {
		t.Errorf("%s and %s", a, b)
	}
}

// FuzzToolName: a name is one that vendors take, and two tools never share one.
func FuzzToolName(f *testing.F) {
	f.Add("a", "b", "a", "c")
	f.Add("a__b", "c", "a", "b__c")
	f.Add("a_", "c", "a", "_c")
	f.Add("a.b", "c", "a_b", "c")
	f.Add("", "", "_", "")
	legalName := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	f.Fuzz(func(t *testing.T, server, tool, server2, tool2 string) {
		a, b := toolName(server, tool), toolName(server2, tool2)
		if !legalName.MatchString(a) {
			t.Errorf("%q, %q: %q", server, tool, a)
		}
		same := server == server2 && tool == tool2
		if (a == b) != same {
			t.Errorf("%q, %q and %q, %q: %q and %q", server, tool, server2, tool2, a, b)
		}
	})
}
