package cli

import "ikigai/internal/config"

// contextOf returns how many tokens a request to an endpoint's model and its
// reply may have: what is known of the model, or less where the settings say so;
// 0 where nobody knows.
func (a *app) contextOf(e config.Endpoint) int {
	known, limit := e.Known.Context, a.settings.ContextLimit
	if limit > 0 && (known == 0 || limit < known) {
		return limit
	}
	return known
}

// outputOf returns how many tokens a reply of an endpoint's model has at most; 0
// where nobody knows.
func outputOf(e config.Endpoint) int { return min(e.Known.Output, usualOutput) }
