package killtest

import "golang.org/x/sys/unix"

// older are the calls that newer architectures do without.
var older = []watched{
	{nr: unix.SYS_OPEN, name: "open", about: aPath, flags: 1},
	{nr: unix.SYS_CREAT, name: "creat", about: aPath},
	{nr: unix.SYS_RENAME, name: "rename", about: aPath, arg: 1},
	{nr: unix.SYS_LINK, name: "link", about: aPath, arg: 1},
	{nr: unix.SYS_SYMLINK, name: "symlink", about: aPath, arg: 1},
	{nr: unix.SYS_UNLINK, name: "unlink", about: aPath},
	{nr: unix.SYS_RMDIR, name: "rmdir", about: aPath},
	{nr: unix.SYS_MKDIR, name: "mkdir", about: aPath},
	{nr: unix.SYS_CHMOD, name: "chmod", about: aPath},
}
