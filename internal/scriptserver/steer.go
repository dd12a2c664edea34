package scriptserver

import "slices"

// apart returns messages with what the person says in the message of results, as
// some wires have it, in a message of its own. Other texts there are told about
// the runs.
func (p *plan) apart(messages []message) []message {
	said := func(text string) bool {
		text = bare(text)
		return text != "" && (p.added[text] || slices.ContainsFunc(p.statements, func(st *plannedStatement) bool { return st.said == text }))
	}
	if !slices.ContainsFunc(messages, func(m message) bool { return slices.ContainsFunc(m.beside, said) }) {
		return messages
	}
	var all []message
	for _, m := range messages {
		all = append(all, m)
		for _, text := range m.beside {
			if said(text) {
				all = append(all, newMessage("user", "", []string{text}))
			}
		}
	}
	return all
}

// findAdded marks what the person has added to a statement under way: it stands
// behind results, and the reply that follows knows of it.
func (p *plan) findAdded(r *request) {
	if !p.steers || r.side() != "" {
		return
	}
	var statement *plannedStatement
	place := 0
	for i := range r.messages {
		m := &r.messages[i]
		switch {
		case m.role == "assistant":
			place++
		case m.role != "user" || carries(r.messages, i):
		case i > 0 && (r.messages[i-1].role == "tool" || r.messages[i-1].added) && statement.knows(place, m.text):
			m.added = true
		default:
			statement, place = p.choose(r.messages[:i+1]), 0
		}
	}
}

// knows reports whether the reply in a place of the statement, which may be nil,
// knows of what the person adds before it.
func (s *plannedStatement) knows(place int, text string) bool {
	if s == nil {
		return false
	}
	for _, reply := range s.replies {
		if place < reply.count() {
			return slices.ContainsFunc(reply.steer, func(fits func(string) bool) bool { return fits(bare(text)) })
		}
		place -= reply.count()
	}
	return false
}
