package render

import "ikigai"

// Purpose is what the requests for one purpose have cost.
type Purpose struct {
	Name     string // main is the conversation
	Requests int
	Usage    ikigai.Usage
	Cost     *int64 // in millionths of a US dollar; nil where it is not known
}

// Add adds what a reply used.
func (p *Purpose) Add(d ikigai.UsageData) {
	p.add(Purpose{Requests: 1, Usage: d.Usage, Cost: d.Cost})
}

func (p *Purpose) add(q Purpose) {
	p.Requests += q.Requests
	p.Usage.Input += q.Usage.Input
	p.Usage.Output += q.Usage.Output
	p.Usage.CacheRead += q.Usage.CacheRead
	p.Cost = plus(p.Cost, q.Cost)
}

// Purposes returns what a session has cost as a table, with the sum below.
func (s Style) Purposes(list []Purpose) string {
	sum := Purpose{Name: "all"}
	var rows [][]string
	for _, p := range list {
		sum.add(p)
		rows = append(rows, p.row())
	}
	if len(list) > 1 {
		rows = append(rows, sum.row())
	}
	head := []string{"PURPOSE", "REQUESTS", "TOKENS IN", "CACHED", "TOKENS OUT", "COST"}
	head, rows = s.lighter(head, rows, "CACHED", "REQUESTS")
	return s.Table(head, rows)
}

func (p Purpose) row() []string {
	cost := "-"
	if p.Cost != nil {
		cost = Dollars(*p.Cost)
	}
	return []string{p.Name, number(int64(p.Requests)), number(p.Usage.Input), number(p.Usage.CacheRead), number(p.Usage.Output), cost}
}
