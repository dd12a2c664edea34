package catalog

import (
	"math"

	"ikigai"
)

// Price is what tokens cost, in US dollars per million tokens.
type Price struct {
	Input      float64  `json:"input"`
	Output     float64  `json:"output"`                // reasoning included
	CacheRead  *float64 `json:"cache_read,omitempty"`  // nil: as Input
	CacheWrite *float64 `json:"cache_write,omitempty"` // nil: as Input

	// Requests of more than Over tokens have the prices of Long.
	Over int64  `json:"over,omitempty"`
	Long *Price `json:"long,omitempty"`
}

// Cost returns what u costs, in millionths of a US dollar.
func (p Price) Cost(u ikigai.Usage) int64 {
	if p.Long != nil && u.Input > p.Over {
		return p.Long.Cost(u)
	}
	read, write := p.Input, p.Input
	if p.CacheRead != nil {
		read = *p.CacheRead
	}
	if p.CacheWrite != nil {
		write = *p.CacheWrite
	}
	fresh := max(0, u.Input-u.CacheRead-u.CacheWrite)
	// Dollars per million tokens are millionths of a dollar per token.
	cost := float64(fresh)*p.Input + float64(u.CacheRead)*read + float64(u.CacheWrite)*write + float64(u.Output)*p.Output
	return int64(math.Round(min(max(0, cost), math.MaxInt64/2)))
}
