// Package wirecheck knows what vendors of language models demand of a request
// beyond its schema, and answer with status 400 where it is missing: calls that
// are paired with their results, roles in their order, nothing empty, IDs and
// names of the right form, signatures in their places.
//
// There is a checker for each of the four wires. Each takes the whole body of a
// request and returns an *Error that names the place as the vendor does, or nil.
// The rules come from what vendors answered: from recorded exchanges and from
// the threads in which people report such answers. What a vendor has accepted
// passes, except where another vendor of the same dialect refuses it.
package wirecheck
