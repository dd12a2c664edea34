package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ikigai"
	"ikigai/internal/config"
	"ikigai/internal/crash"
	"ikigai/internal/sqlite"
	"ikigai/internal/stack"
)

const (
	// awayTime is how long a new session waits for a database on a server. It
	// goes on without one after that.
	awayTime = 1500 * time.Millisecond
	// openTime is how long everything else waits for it.
	openTime = 10 * time.Second
)

// storeResult is a store, or why there is none.
type storeResult struct {
	store ikigai.Store
	err   error
}

// openStore opens the store while the caller does other things. It gives up
// after limit.
func (a *app) openStore(ctx context.Context, limit time.Duration) <-chan storeResult {
	result := make(chan storeResult, 1)
	database := a.settings.Database
	go func() {
		defer crash.Guard()
		stack.Grow()
		store, err := a.openDatabase(ctx, database, limit, true)
		result <- storeResult{store, err}
	}()
	return result
}

// storeNow opens the store for a command that is about nothing else.
func (a *app) storeNow(ctx context.Context) (ikigai.Store, error) {
	return a.openDatabase(ctx, a.settings.Database, openTime, true)
}

// storeToRead opens the store for a command that begins nothing. It makes no
// database where there is none, unless events wait for it in a journal: the error
// then wraps ikigai.ErrNotFound.
func (a *app) storeToRead(ctx context.Context) (ikigai.Store, error) {
	if len(waiting(a.places().journals())) > 0 {
		return a.openDatabase(ctx, a.settings.Database, openTime, true)
	}
	return a.existing(ctx, a.settings.Database)
}

// existing opens a database that must be there.
func (a *app) existing(ctx context.Context, d config.Database) (ikigai.Store, error) {
	store, err := a.openDatabase(ctx, d, openTime, false)
	if errors.Is(err, ikigai.ErrNotFound) {
		return nil, &ikigai.Error{Kind: ikigai.ErrorUsage, What: "There is no database at " + d.String() + " yet",
			Do: "Begin a session with `ikigai run PROMPT`, or name another one with --database", Err: err}
	}
	return store, err
}

// openDatabase opens a database, and makes one where there is none if create
// is true. A server that does not answer within limit is away.
func (a *app) openDatabase(ctx context.Context, d config.Database, limit time.Duration, create bool) (ikigai.Store, error) {
	if d.URL() == "" {
		return a.openFile(ctx, d.Path(), create)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	store, err := openServer(limited, d.URL(), create)
	switch {
	case err == nil:
		return store, nil
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, &ikigai.Error{Kind: ikigai.ErrorStore, Err: err,
			What: fmt.Sprintf("The database %s does not answer within %g s", d, limit.Seconds()), Do: "Check that the server runs and can be reached"}
	}
	return nil, err
}

// openFile opens a SQLite file. A nil *sqlite.Store must not become a Store.
func (a *app) openFile(ctx context.Context, path string, create bool) (ikigai.Store, error) {
	open := sqlite.OpenExisting
	if create {
		open = sqlite.Open
	}
	dir := filepath.Dir(path)
	_, missing := os.Stat(dir)
	store, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if missing != nil && a.flags["database"] != "" { // a slip of who types does as much
		a.notice("A new database was made at " + path + ", and the directory for it.")
	}
	if m := store.Migration(); m.From > 0 {
		a.notice(fmt.Sprintf("The database %s had schema %d and was brought up to date. A copy of it as it was is %s; remove it when you like.", path, m.From, m.Copy))
	}
	return store, nil
}

// collect returns what seq yields until it ends or fails.
func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// childEnv returns the environment of child processes: the person's without our
// secrets, and with the mark of this run and the session, if there is one.
func (a *app) childEnv(id ikigai.ID) []string {
	env := a.withoutSecrets()
	if a.mark != "" {
		env = append(env, a.mark)
	}
	if id != "" {
		env = append(env, "IKIGAI_SESSION="+string(id))
	}
	return env
}

// withoutSecrets returns the environment less the keys of vendors and the password
// of the database. It has no mark: what is started with it may outlive the run, as
// the agent that signs commits does.
func (a *app) withoutSecrets() []string {
	keys := a.settings.VendorKeyVariables()
	return slices.DeleteFunc(a.withoutPassword(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(keys, name)
	})
}

// withoutPassword returns the environment without the password of the database:
// none in its address and, if it is on a server, not the variables that hold
// one.
func (a *app) withoutPassword() []string {
	const variable = "IKIGAI_DATABASE="
	var env []string
	for _, v := range a.Env {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(a.passwordVariables(), name) {
			continue
		}
		if text, ok := strings.CutPrefix(v, variable); ok && text != "" {
			d, err := config.ParseDatabase(variable, text, "/", "")
			if err != nil {
				v = variable
			} else if d.URL() != "" {
				v = variable + d.String()
			}
		}
		env = append(env, v)
	}
	return env
}

// passwordVariables returns the variables that the password of the database may
// come from. With a file, they are none of ours and tools may need them.
func (a *app) passwordVariables() []string {
	if a.settings.Database.URL() == "" {
		return nil
	}
	return []string{"PGPASSWORD", "PGSSLPASSWORD"}
}
