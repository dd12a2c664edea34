package schema

import "strings"

const (
	maxPaths  = 20_000 // ways from the root of a schema to its parts
	maxForms  = 4_096  // ways to hold a value against the forms that its parts may have
	manyPaths = 1 << 30
)

// cost tells what validating against a schema takes. References lead to parts
// again and again, and the library looks at each part as often as it is led
// there: with alternatives within alternatives, more often than there is time.
type cost struct {
	root    any
	paths   map[string]int // by JSON pointer
	forms   map[string]int // schemas that one value is held against
	open    map[string]bool
	endless bool // references lead back to where they come from
}

func costOf(root any) *cost {
	c := &cost{root: root, paths: map[string]int{}, forms: map[string]int{}, open: map[string]bool{}}
	c.count(root, "")
	return c
}

// tooHigh reports whether validating any value would take too long.
func (c *cost) tooHigh() bool { return !c.endless && c.paths[""] > maxPaths || c.most() > maxForms }

// most returns the most schemas that one value is held against.
func (c *cost) most() int {
	most := 1
	for _, n := range c.forms {
		most = max(most, n)
	}
	return most
}

// deepest returns how deep a value may be so that validating it does not take
// too long; -1 stands for no limit.
func (c *cost) deepest() int {
	most := c.most()
	if !c.endless || most == 1 {
		return -1
	}
	depth := 0
	for n := most; n <= maxForms; n *= most {
		depth++
	}
	return depth
}

// count counts the paths and the forms of a part of the schema.
func (c *cost) count(node any, pointer string) (paths, forms int) {
	if c.open[pointer] {
		c.endless = true
		return 1, 1
	}
	if n, ok := c.paths[pointer]; ok {
		return n, c.forms[pointer]
	}
	c.open[pointer] = true
	paths = 1
	for _, child := range children(node) {
		p, f := c.count(child.node, pointer+child.step)
		paths += p
		if isForm(pointer, child.step) {
			forms += f
		}
	}
	if object, ok := node.(map[string]any); ok {
		if ref, ok := object["$ref"].(string); ok && strings.HasPrefix(ref, "#") {
			if target, at, ok := lookup(c.root, ref[1:]); ok {
				p, f := c.count(target, at)
				paths += p
				forms += f
			}
		}
	}
	delete(c.open, pointer)
	c.paths[pointer], c.forms[pointer] = min(paths, manyPaths), min(max(forms, 1), manyPaths)
	return c.paths[pointer], c.forms[pointer]
}

// isForm reports whether a child is a schema for the same value as the schema
// that it stands in, or a list of them.
func isForm(pointer, step string) bool {
	switch step {
	case "/anyOf", "/oneOf", "/allOf", "/not", "/if", "/then", "/else", "/dependentSchemas", "/dependencies":
		return true
	}
	for _, list := range []string{"/anyOf", "/oneOf", "/allOf", "/dependentSchemas", "/dependencies"} {
		if strings.HasSuffix(pointer, list) {
			return true
		}
	}
	return false
}

// depthOf returns how many objects and lists are within each other in valid
// JSON.
func depthOf(raw []byte) int {
	deepest, depth := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
