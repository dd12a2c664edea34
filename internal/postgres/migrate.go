package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"ikigai"
)

//go:embed migrations
var migrations embed.FS

const (
	// schemaVersion is the version that the migrations lead to. It has the
	// number of SQLite's schema that is the same.
	schemaVersion = 3
	versionTable  = "ikigai_version"
	// migrationLock is the number of the lock that one of several programs
	// takes that migrate at once: "ikigai".
	migrationLock = 0x696b69676169

	sqlVersion = "SELECT coalesce(max(version_id), 0)::int FROM " + versionTable
)

// readVersion returns the version of the schema, 0 for an empty database. An older
// schema without any session is one whose making was cut short, which counts as none:
// each of its steps is a transaction, and a program can die between two.
func readVersion(ctx context.Context, conn *pgx.Conn) (version int, err error) {
	err = conn.QueryRow(ctx, sqlVersion, pgx.QueryExecModeExec).Scan(&version)
	if hasCode(err, codeNoTable) {
		return 0, nil
	}
	if err != nil || version == 0 || version >= schemaVersion {
		return version, err
	}
	used := false
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM sessions)", pgx.QueryExecModeExec).Scan(&used)
	if !used {
		version = 0
	}
	return version, err
}

// prepareSchema sees to it that the database, whose schema has the given
// version, has the current one.
func (s *Store) prepareSchema(ctx context.Context, version int, create bool) error {
	switch {
	case version == schemaVersion:
		return nil
	case version == 0 && create:
		return migrate(ctx, s.place, s.pool.config)
	case version == 0:
		return fmt.Errorf("database %s: %w", s.place, ikigai.ErrNotFound)
	case version > schemaVersion:
		return newerSchema(s.place, version)
	}
	return &ikigai.Error{
		Kind: ikigai.ErrorStore,
		What: fmt.Sprintf("The database %s has the older schema version %d, and this program needs %d", s.place, version, schemaVersion),
		Do:   "Run `ikigai db migrate` when all programs that use it are of this version",
	}
}

func newerSchema(place string, version int) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorStore,
		What: fmt.Sprintf("The database %s has schema version %d, and this program knows versions up to %d", place, version, schemaVersion),
		Do:   "Update ikigai, or name another database in the settings",
	}
}

// Migrate brings the schema of the database at a URL up to date, or creates it.
// Several programs may do so at once. A newer schema is refused.
func Migrate(ctx context.Context, url string) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	return migrate(ctx, place(config), config)
}

func migrate(ctx context.Context, place string, config *pgx.ConnConfig) error {
	err := runMigrations(ctx, place, config)
	return fail(ctx, place, "migrate", err)
}

func runMigrations(ctx context.Context, place string, config *pgx.ConnConfig) error {
	db := sql.OpenDB(connector{config})
	defer func() { _ = db.Close() }()
	if err := checkDatabase(ctx, place, db); err != nil {
		return err
	}
	provider, err := newProvider(db)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

func newProvider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 600))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName(versionTable),
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
}

// checkDatabase refuses a database that has a newer schema, or that cannot hold
// every text.
func checkDatabase(ctx context.Context, place string, db *sql.DB) error {
	version := 0
	err := db.QueryRowContext(ctx, sqlVersion).Scan(&version)
	switch {
	case err != nil && !hasCode(err, codeNoTable):
		return err
	case version > schemaVersion:
		return newerSchema(place, version)
	}
	var encoding string
	if err := db.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil {
		return err
	}
	if encoding == "UTF8" {
		return nil
	}
	return &ikigai.Error{
		Kind: ikigai.ErrorStore,
		What: fmt.Sprintf("The database %s has the encoding %s, which cannot hold every text", place, encoding),
		Do:   "Create one with `createdb --encoding=UTF8 --template=template0`",
	}
}
