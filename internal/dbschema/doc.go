// Package dbschema is what the stores that speak SQL have in common: the
// schema and its versions, the checks that events pass on their way in, what
// the row of a session takes from them, and what of an event a search finds.
package dbschema
