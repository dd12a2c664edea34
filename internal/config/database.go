package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// Database says where the log is kept: in a SQLite file, or in a PostgreSQL
// database. However it is printed, no password shows.
type Database struct {
	place string // an absolute path, or an address
}

// ParseDatabase reads the place of a database as the setting of that name has
// it: the path of a file, which starts at dir unless it is absolute, or the
// address of a PostgreSQL database. The error is an *ikigai.Error of kind usage
// that names the place as origin.
func ParseDatabase(origin, text, dir, home string) (Database, error) {
	var d Database
	v := &database{&d}
	if text == "" || !v.set(text) {
		return d, usage(origin+" is "+shown(text, false), "Write "+v.accepts())
	}
	return d.placed(dir, home), nil
}

// Path returns the path of the file, or "" if the database is on a server.
func (d Database) Path() string {
	if isAddress(d.place) {
		return ""
	}
	return d.place
}

// URL returns the address of the database with its password, or "" if it is a
// file.
func (d Database) URL() string {
	if isAddress(d.place) {
		return d.place
	}
	return ""
}

// String returns the path, or the address without its password.
func (d Database) String() string {
	u := d.parsed()
	if u == nil {
		return d.place
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for _, name := range passwords {
		query.Del(name)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// Format writes what String returns, whatever the verb.
func (d Database) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, d.String()) }

// Secrets returns the passwords in the address. One that is the user's name is
// none: taking it out of texts would hide nothing and spoil them.
func (d Database) Secrets() (all []string) {
	u := d.parsed()
	if u == nil {
		return nil
	}
	if password, ok := u.User.Password(); ok && password != u.User.Username() {
		all = append(all, password)
	}
	for _, name := range passwords {
		all = append(all, u.Query()[name]...)
	}
	return all
}

// Key returns a short name for a database on a server: the same for all
// addresses that lead to the same tables, whatever else they say. It is "" for
// a file.
func (d Database) Key() string {
	u := d.parsed()
	if u == nil {
		return ""
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = "5432"
	}
	kept, query := url.Values{}, u.Query()
	for _, name := range []string{"host", "port", "user", "dbname", "database", "search_path", "options"} {
		if values := query[name]; len(values) > 0 {
			kept[name] = values
		}
	}
	sum := sha256.Sum256([]byte(u.User.Username() + "@" + net.JoinHostPort(host, port) + u.Path + "?" + kept.Encode()))
	return hex.EncodeToString(sum[:8])
}

// parsed returns the address, or nil if there is none.
func (d Database) parsed() *url.URL {
	if !isAddress(d.place) {
		return nil
	}
	u, err := url.Parse(d.place)
	if err != nil {
		return &url.URL{Scheme: "postgres"} // set has refused it
	}
	return u
}

// placed returns d with its path, if it is one, made absolute.
func (d Database) placed(dir, home string) Database {
	if d.place == "" || isAddress(d.place) {
		return d
	}
	return Database{absolute(d.place, dir, home)}
}

// passwords are the parameters of an address that must not be shown.
var passwords = [...]string{"password", "sslpassword"}

func isAddress(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// database is the path of a file or the address of a database on a server.
type database struct{ p *Database }

func (v *database) set(text string) bool {
	switch {
	case isAddress(text):
		u, err := url.Parse(text)
		if err != nil || !ruleLine.valid(text) || strings.ContainsAny(text, " \t") || badQuery(u) {
			return false
		}
	case strings.Contains(text, "://") || !rulePath.valid(text):
		return false
	}
	v.p.place = text
	return true
}

func badQuery(u *url.URL) bool {
	_, err := url.ParseQuery(u.RawQuery)
	return err != nil || u.Fragment != ""
}

// String returns the place in the clear.
func (v *database) String() string { return v.p.place }

func (v *database) accepts() string {
	return `the path of a file, such as "~/ikigai.db", or the address of a PostgreSQL database, such as "postgres://me@db.example.com/ikigai"`
}

func (v *database) schema() map[string]any {
	return map[string]any{"type": "string", "pattern": rulePath.expr}
}

// defaultDatabase is the file that holds the log when nothing is set.
func defaultDatabase(dataDir string) Database {
	return Database{filepath.Join(dataDir, "ikigai.db")}
}
