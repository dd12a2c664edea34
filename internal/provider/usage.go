package provider

import (
	"strconv"

	"ikigai"
)

// MaxCount is more tokens than any request has. Counts beyond it are mistakes, and
// sums of them are to stay numbers.
const MaxCount = 1_000_000_000

// Count is a number of tokens as a vendor tells it. Some write 1000.0, and some
// tell what cannot be: what is no number, or less than nothing, counts as nothing.
type Count int64

// UnmarshalJSON implements json.Unmarshaler. It takes what it understands.
func (c *Count) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseFloat(string(raw), 64)
	if *c = 0; err == nil && n > 0 {
		*c = Count(min(n, MaxCount))
	}
	return nil
}

// Counts is what a reply cost as a vendor tells it, in the sense of
// ikigai.Usage.
type Counts struct{ Input, Output, CacheRead, CacheWrite, Reasoning Count }

// Usage returns c less what contradicts itself: no more of the input is from the
// cache or goes into it than there is, and no more of the output is reasoning.
func (c Counts) Usage() *ikigai.Usage {
	read := min(c.CacheRead, c.Input)
	return &ikigai.Usage{
		Input:      int64(c.Input),
		Output:     int64(c.Output),
		CacheRead:  int64(read),
		CacheWrite: int64(min(c.CacheWrite, c.Input-read)),
		Reasoning:  int64(min(c.Reasoning, c.Output)),
	}
}
