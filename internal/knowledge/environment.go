package knowledge

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"ikigai"
)

// Environment returns the block of a system prompt that tells of the surroundings of
// a session that begins in dir at now: directory, system, git, date.
func Environment(dir string, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Directory: %s\nSystem: %s\n", oneLine(ikigai.CleanText(dir)), system())
	if top := Repository(dir); top != "" {
		fmt.Fprintf(&b, "Git: %s\n", branch(top))
	}
	fmt.Fprintf(&b, "Date: %s", now.Local().Format(time.DateOnly))
	return b.String()
}

// system returns name and release of the operating system.
func system() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:])
}

// maxBranch bounds the name of a branch, in bytes.
const maxBranch = 60

// branch says in a few words what is checked out in a repository, by its HEAD alone.
// Where top is a further working tree, or a submodule, .git is a file that says
// where the HEAD is.
func branch(top string) string {
	dir := filepath.Join(top, ".git")
	if pointer, err := readFile(dir); err == nil {
		target, ok := strings.CutPrefix(strings.TrimRight(string(pointer), "\r\n"), "gitdir: ")
		if !ok {
			return "yes"
		}
		if dir = target; !filepath.IsAbs(dir) {
			dir = filepath.Join(top, target)
		}
	}
	raw, err := readFile(filepath.Join(dir, "HEAD"))
	if err != nil {
		return "yes"
	}
	head := strings.TrimSpace(string(raw))
	name, isBranch := strings.CutPrefix(head, "ref: refs/heads/")
	switch {
	case isBranch && isName(name):
		return "branch " + shortName(name)
	case len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "":
		return "detached at " + head[:12]
	}
	return "yes"
}

// isName reports whether a text can be the name of a branch: whoever has written the
// file, it says nothing else to the model.
func isName(text string) bool {
	return text != "" && text == ikigai.CleanText(text) && strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`~^:?*[\`, r)
	}) < 0
}

func shortName(name string) string {
	if len(name) <= maxBranch {
		return name
	}
	return strings.ToValidUTF8(name[:maxBranch], "") + "…"
}
