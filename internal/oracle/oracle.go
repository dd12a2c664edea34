// Package oracle is where second opinions on the vendors' packages are heard:
// the official SDKs, and the published description of the interface. It is a
// module of its own, so that what it needs stays out of the program. There is
// nothing in it but tests.
package oracle
