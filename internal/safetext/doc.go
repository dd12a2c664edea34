// Package safetext makes text that others wrote fit to be shown and kept: it
// cannot act on a terminal, and it gives no key away.
package safetext
