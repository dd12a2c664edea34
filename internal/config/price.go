package config

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"ikigai"
)

// Price is what tokens of a model cost, in millionths of a US dollar per
// million tokens.
type Price struct {
	Input, Output         int64
	CacheRead, CacheWrite int64 // notSet: as Input
}

// notSet stands for an amount that nobody gave.
const notSet = -1

// Cost returns what u costs, in millionths of a US dollar, rounded down.
func (p Price) Cost(u ikigai.Usage) int64 {
	read, write := p.CacheRead, p.CacheWrite
	if read == notSet {
		read = p.Input
	}
	if write == notSet {
		write = p.Input
	}
	fresh := max(0, u.Input-u.CacheRead-u.CacheWrite)
	var sum, carry uint64
	for _, part := range [][2]int64{{fresh, p.Input}, {u.CacheRead, read}, {u.CacheWrite, write}, {u.Output, p.Output}} {
		hi, lo := bits.Mul64(uint64(max(0, part[0])), uint64(max(0, part[1])))
		var c uint64
		sum, c = bits.Add64(sum, lo, 0)
		carry += hi + c
	}
	const million = 1_000_000
	if carry >= million {
		return math.MaxInt64 // no bill is that long
	}
	cost, _ := bits.Div64(carry, sum, million)
	return int64(min(cost, math.MaxInt64))
}

// PriceOf returns the price of a model, vendor/model, and whether it is known.
func (s *Settings) PriceOf(model string) (Price, bool) {
	p, ok := s.Prices[model]
	return p, ok
}

// amount is a price in US dollars, up to a million of them.
type amount struct{ p *int64 }

func (v *amount) set(text string) bool {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return false
	}
	dollars, err := strconv.ParseFloat(text, 64)
	if err != nil || dollars < 0 || dollars > 1e6 {
		return false
	}
	*v.p = int64(math.Round(dollars * 1e6))
	return true
}

// String returns the amount without zeros at its end, and "" if it is not set.
func (v *amount) String() string {
	if *v.p == notSet {
		return ""
	}
	return strconv.FormatFloat(float64(*v.p)/1e6, 'f', -1, 64)
}

func (v *amount) accepts() string {
	return "US dollars per million tokens, from 0 to 1000000, such as 1.25"
}

func (v *amount) schema() map[string]any {
	return map[string]any{"type": "number", "minimum": 0, "maximum": 1_000_000}
}

// price takes over a member of the object prices.
func (f *file) price(m member) error {
	if vendor, model, _ := strings.Cut(m.name, "/"); vendor == "" || model == "" || !ruleModel.valid(m.name) {
		return f.fault(m.at, quoteKey(m.key)+" names no model", `Write it as "vendor/model", such as "openai/gpt-5"`)
	}
	p := Price{notSet, notSet, notSet, notSet}
	f.place(m.key, m.at)
	err := f.members(m.key, m.value, func(m member) error { return assign(f, priceTable, nil, &p, m.name, m) })
	if err == nil && (p.Input == notSet || p.Output == notSet) {
		err = f.fault(m.at, quoteKey(m.key)+" has no price for input or for output", "Give both, in US dollars per million tokens")
	}
	if f.s.Prices == nil {
		f.s.Prices = map[string]Price{}
	}
	f.s.Prices[m.name] = p
	return err
}
