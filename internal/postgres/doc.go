// Package postgres keeps the log of events in a PostgreSQL database, which
// programs on several machines may share.
package postgres
