// Package pgtest gives tests real PostgreSQL servers: one cluster for each test
// binary, a database for each test, servers that can be stopped, killed and
// promoted, and a proxy that loses answers.
//
// A binary that uses it begins with
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
package pgtest
