package render

import (
	"cmp"
	"strconv"

	"ikigai"
)

// Spending is what some requests have cost, and how much of the model's context
// the conversation takes.
type Spending struct {
	Requests int
	Usage    ikigai.Usage // of all of them; zero where the vendor does not count
	Cost     *int64       // of all of them, in millionths of a US dollar; nil where it is not known
	Session  *int64       // cost of the whole session so far

	Side     int    // requests beside the conversation, which are not among the others
	SideCost *int64 // of these

	Tokens  int64 // in the context now, an estimate
	Context int   // that the model has; 0 if that is not known
}

// Spending returns one line about x. Costs are estimates: they come from a list
// of prices, not from a bill.
func (s Style) Spending(x Spending) string {
	tokens := ""
	if x.Usage.Input+x.Usage.Output > 0 {
		tokens = Tokens(x.Usage.Input) + " in"
		if x.Usage.CacheRead > 0 {
			tokens += " (" + Tokens(x.Usage.CacheRead) + " cached)"
		}
		tokens += ", " + Tokens(x.Usage.Output) + " out"
	}
	return "  " + s.paint(faint, s.join(count(x.Requests, "request"), tokens, x.context(), x.cost(), x.side())) + "\n"
}

func (x Spending) side() string {
	if x.Side == 0 {
		return ""
	}
	text := "side requests " + number(int64(x.Side))
	if x.SideCost != nil {
		text += ", " + Dollars(*x.SideCost)
	}
	return text
}

func (x Spending) context() string {
	if x.Tokens == 0 {
		return ""
	}
	text := "context " + Tokens(x.Tokens)
	if x.Context > 0 {
		share := 100 * x.Tokens / int64(x.Context)
		text += " of " + Tokens(int64(x.Context)) + " (" + strconv.FormatInt(share, 10) + " %)"
	}
	return text
}

func (x Spending) cost() string {
	if x.Cost == nil {
		return ""
	}
	text := "about " + Dollars(*x.Cost)
	if all := plus(x.Cost, x.SideCost); x.Session != nil && *x.Session != *all {
		text += ", session " + Dollars(*x.Session)
	}
	return text
}

// Tokens returns a number of tokens in two or three figures: 640, 12k, 1.05M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 9_950:
		return decimal(float64(n)/1e3, 1) + "k"
	case n < 999_500:
		return decimal(float64(n)/1e3, 0) + "k"
	case n < 9_995_000:
		return decimal(float64(n)/1e6, 2) + "M"
	}
	return decimal(float64(n)/1e6, 1) + "M"
}

// decimal returns x with at most so many digits, and no zeros at their end.
func decimal(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'f', digits, 64)
	for digits > 0 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
		if digits--; digits == 0 {
			text = text[:len(text)-1]
		}
	}
	return text
}

// plus returns what two costs are together. Both may be nil, which is not known.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a + *b
	return &sum
}
