// Package dbschema is what the stores that speak SQL have in common: the
// version of the schema, the checks that events pass on their way in, what the
// row of a session takes from them, and what of an event a search finds.
package dbschema

// Version is the version of the schema that this program creates and brings
// older databases to. It refuses newer ones.
const Version = 3
