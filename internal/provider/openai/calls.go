package openai

import (
	"encoding/json"

	"ikigai"
)

// calls puts the pieces of tool calls together. Most vendors number the calls
// and name a call's ID and function in its first piece only. Others send no
// number, or the same one for several calls, or repeat ID and name.
type calls struct {
	all    []call
	byWire map[int]int // number on the wire → index in all
}

type call struct {
	id, name string
	args     []byte // kept only while the call has no id
}

// add takes in a piece. It returns what is new in it, and false if nothing is.
func (c *calls) add(p *callPiece) (ikigai.CallDelta, bool) {
	i, begins := c.find(p)
	if begins {
		i = len(c.all)
		c.all = append(c.all, call{})
		if p.Index != nil {
			if c.byWire == nil {
				c.byWire = make(map[int]int)
			}
			c.byWire[*p.Index] = i
		}
	}
	to, out := &c.all[i], ikigai.CallDelta{Index: i, Arguments: string(p.Function.Arguments)}
	if to.id == "" && p.ID != "" {
		to.id, out.ID = p.ID, p.ID
	}
	if to.name == "" && p.Function.Name != "" {
		to.name, out.Name = p.Function.Name, p.Function.Name
	}
	if to.id == "" {
		to.args = append(to.args, p.Function.Arguments...)
	}
	return out, begins || out.ID != "" || out.Name != "" || out.Arguments != ""
}

// find returns the index of the call that p belongs to, or true if p begins a
// new one.
func (c *calls) find(p *callPiece) (int, bool) {
	i := len(c.all) - 1
	if p.Index != nil {
		at, ok := c.byWire[*p.Index]
		if !ok {
			return 0, true
		}
		i = at
	}
	if i < 0 {
		return 0, true
	}
	have := &c.all[i]
	switch {
	case p.ID != "" && have.id != "":
		return i, p.ID != have.id && p.Function.Name != ""
	case p.ID == "" && have.id == "" && p.Function.Name != "" && have.name != "":
		return i, json.Valid(have.args) // the call before is whole: this is the next
	case p.ID == "" && p.Index == nil && p.Function.Name != "" && have.id != "":
		return i, p.Function.Name != have.name
	}
	return i, false
}

// withoutID gives the calls that came without an ID one of their own.
func (c *calls) withoutID(newID func() string) []ikigai.CallDelta {
	if newID == nil {
		newID = randomID
	}
	var given []ikigai.CallDelta
	for i := range c.all {
		if c.all[i].id == "" {
			c.all[i].id = newID()
			given = append(given, ikigai.CallDelta{Index: i, ID: c.all[i].id})
		}
	}
	return given
}
