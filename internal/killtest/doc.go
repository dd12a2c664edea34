// Package killtest runs a program and kills it, with SIGKILL, right before or
// right after one of the system calls by which it changes the world outside of
// it: a write to a file, a terminal or a socket, a sync, a rename, the start of
// another program. A test that runs a program once to see its calls, and then
// once for every one of them, has tried every death there is: between two such
// calls nothing happens that anybody else could notice.
//
// What a program writes into memory that it shares with others is no call. Of
// SQLite that is the index of the write-ahead log, which whoever opens the
// database next makes anew.
//
// The program is the real one, traced with ptrace. A filter in the kernel
// (seccomp) stops it at the calls that matter alone, so that it runs nearly as
// fast as without. What it starts is followed to its end, and not killed.
//
// Linux only.
package killtest
