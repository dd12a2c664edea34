package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"ikigai"
)

//go:embed migrations
var migrations embed.FS

// Migration is what Open did to bring an older file up to date. Its zero value
// says that there was nothing to do.
type Migration struct {
	From int    // the version that the schema had
	Copy string // where the file is kept as it was; it may be removed
}

// migrate brings the schema from an older version to the current one, after it
// kept a copy of the file. Each step is a transaction of its own that raises
// the version.
func migrate(ctx context.Context, c *connection, path string, from int) (Migration, error) {
	kept, err := keepCopy(ctx, c, fmt.Sprintf("%s.v%d", path, from))
	if err != nil {
		return Migration{}, migrationError(path, err)
	}
	if err := runMigrations(ctx, path); err != nil {
		_, version, versionErr := versions(ctx, c)
		if versionErr == nil && version == from {
			_ = os.Remove(kept) // nothing was changed
		}
		return Migration{}, migrationError(path, err)
	}
	return Migration{From: from, Copy: kept}, nil
}

// migrationError tells the commonest reasons as those of any other write, and
// that the file is as it was.
func migrationError(path string, err error) error {
	what, do := explain(path, err)
	return &ikigai.Error{
		Kind: ikigai.ErrorStore, Err: fmt.Errorf("migrate: %w", err),
		What: what + ", so its older schema cannot be brought up to date", Do: do,
	}
}

// keepCopy copies the database to a file that does not exist yet, named name or
// the like, for its owner alone to read.
func keepCopy(ctx context.Context, c *connection, name string) (string, error) {
	f, err := createNext(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err = c.ExecContext(ctx, "VACUUM INTO ?", f.Name()); err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return f.Name(), err
}

func createNext(name string) (*os.File, error) {
	next := name
	for i := 2; ; i++ {
		f, err := os.OpenFile(next, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if !errors.Is(err, fs.ErrExist) || i == 100 {
			return f, err
		}
		next = fmt.Sprintf("%s-%d", name, i)
	}
}

// runMigrations runs those that the file has not had. It uses a connection of
// its own, because goose wants to open it.
func runMigrations(ctx context.Context, path string) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	db := openPool(path, 1, "&_pragma=busy_timeout(5000)")
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectCustom, db, files,
		goose.WithStore(userVersion{}), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// userVersion keeps the version of the schema where SQLite has a place for it,
// in the header of the file, so that a look at it costs nothing and files from
// before there were migrations need no preparation.
type userVersion struct{}

var _ database.Store = userVersion{}

func (userVersion) Tablename() string { return "user_version" }

// TableExists spares goose the attempt to create one.
func (userVersion) TableExists(context.Context, database.DBTxConn) (bool, error) { return true, nil }

func (userVersion) CreateVersionTable(context.Context, database.DBTxConn) error { return nil }

func (userVersion) Insert(ctx context.Context, db database.DBTxConn, req database.InsertRequest) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", req.Version))
	return err
}

func (userVersion) Delete(context.Context, database.DBTxConn, int64) error {
	return database.ErrNotImplemented // there is no way back
}

func (v userVersion) GetMigration(ctx context.Context, db database.DBTxConn, version int64) (*database.GetMigrationResult, error) {
	latest, err := v.GetLatestVersion(ctx, db)
	if err != nil {
		return nil, err
	}
	if version > latest {
		return nil, database.ErrVersionNotFound
	}
	return &database.GetMigrationResult{IsApplied: true}, nil
}

func (userVersion) GetLatestVersion(ctx context.Context, db database.DBTxConn) (version int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func (v userVersion) ListMigrations(ctx context.Context, db database.DBTxConn) ([]*database.ListMigrationsResult, error) {
	version, err := v.GetLatestVersion(ctx, db)
	var list []*database.ListMigrationsResult
	for ; version >= 0; version-- {
		list = append(list, &database.ListMigrationsResult{Version: version, IsApplied: true})
	}
	return list, err
}
