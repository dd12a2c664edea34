package exttool

import (
	"encoding/json"
	"fmt"
	"strings"

	"ikigai"
	"ikigai/internal/resource"
)

// readAnswer reads the object that a tool has printed. What the tool says to
// the harness, in members that begin with an underscore, is taken out; the rest
// is the output, with the bytes that it has. dir is where relative paths begin.
func readAnswer(all []member, whole []byte, dir string) ikigai.Result {
	r := ikigai.Result{}
	var rest []member
	var front json.RawMessage
	var notes []string
	for _, m := range all {
		switch m.name {
		case "_note":
			notes = append(notes, asText(m.value))
		case "_report", "bbResponse", "bbaiResponse":
			r.Report = asText(m.value)
		case "_resources":
			r.Resources = resources(m.value, dir)
		case "_images":
			parts, left := images(m.value, dir)
			r.Output = append(r.Output, parts...)
			notes = append(notes, left...)
		case "_frontmatter":
			front = m.value
		default:
			rest = append(rest, m)
		}
		if m.name == "error" && isError(m.value) {
			r.Failed = true
		}
	}
	if len(rest) < len(all) {
		whole = object(rest)
	}
	r.Output = append([]ikigai.Part{{Type: ikigai.PartText, Text: string(whole)}}, r.Output...)
	r.Note = strings.Join(notes, "\n")
	r.Front = facts(front, rest)
	if r.Failed && r.Report == "" {
		r.Report = reportOf(rest)
	}
	return r
}

// isError reports whether the value of "error" tells of one.
func isError(value json.RawMessage) bool {
	switch string(value) {
	case "null", "false", `""`:
		return false
	}
	return true
}

// reportOf returns the error of a failure, for the person.
func reportOf(all []member) string {
	for _, m := range all {
		if m.name == "error" {
			return strings.TrimSuffix(asText(m.value), ".")
		}
	}
	return ""
}

// resources takes paths and URLs, each alone or as {uri, changed, sha256}. Paths
// begin at dir.
func resources(raw json.RawMessage, dir string) []ikigai.Resource {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var all []ikigai.Resource
	for _, one := range list {
		var r ikigai.Resource
		if json.Unmarshal(one, &r.URI) != nil && json.Unmarshal(one, &r) != nil {
			continue
		}
		r.URI = resource.Name(r.URI, dir)
		all = resource.Add(all, r)
	}
	return all
}

// facts returns what stands ahead of the output: the members that are named, or
// an object of its own.
func facts(raw json.RawMessage, output []member) []ikigai.Fact {
	var names []string
	if json.Unmarshal(raw, &names) == nil {
		var all []ikigai.Fact
		for _, name := range names {
			for _, m := range output {
				if m.name == name {
					all = append(all, fact(m))
				}
			}
		}
		return all
	}
	own, _ := members(raw)
	var all []ikigai.Fact
	for _, m := range own {
		all = append(all, fact(m))
	}
	return all
}

func fact(m member) ikigai.Fact {
	var s string
	if json.Unmarshal(m.value, &s) == nil {
		return ikigai.Fact{Name: m.name, Value: s}
	}
	return ikigai.Fact{Name: m.name, Value: m.value}
}

// excerpt returns the beginning of what a tool has printed, on one line.
func excerpt(raw []byte, most int) string {
	s := strings.Join(strings.Fields(plain(raw)), " ")
	if s == "" {
		return "nothing at all"
	}
	if cut := cutHead(s, most); len(cut) < len(s) {
		return fmt.Sprintf("%s … (%d bytes)", cut, len(raw))
	}
	return s
}
