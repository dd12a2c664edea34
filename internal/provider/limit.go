package provider

import "ikigai"

// usualOutput is how many tokens a reply may have where nobody says.
const usualOutput = 32000

// OutputLimit returns the tokens that a reply may have, for a vendor that must
// be told: as the request says, or else c.
func (c Config) OutputLimit(req ikigai.Request) int {
	switch {
	case req.MaxOutput > 0:
		return req.MaxOutput
	case c.MaxOutput > 0:
		return c.MaxOutput
	}
	return usualOutput
}
