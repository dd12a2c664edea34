package sqlite

import (
	"context"
	_ "embed"
	"fmt"

	"ikigai"
	"ikigai/internal/dbschema"
)

//go:embed schema.sql
var schema string

// applicationID marks the file as ours: "ikig". The version of its schema is
// kept in user_version.
const applicationID = 0x696b6967

// prepareSchema makes sure that the database has the current schema. It costs
// two reads of the file's header when it has. The error wraps
// ikigai.ErrNotFound if the database is empty and nothing is to be created.
func prepareSchema(ctx context.Context, c *connection, path string, create bool) (Migration, error) {
	application, version, err := versions(ctx, c)
	if err != nil {
		return Migration{}, err
	}
	// The two are read one after the other: the process that creates the schema
	// may commit between them. Behind its lock they are read again.
	if version < dbschema.Version && (application == 0 || application == applicationID) {
		return changeSchema(ctx, c, path, create)
	}
	return Migration{}, checkVersions(path, application, version)
}

func checkVersions(path string, application, version int) error {
	switch {
	case application != applicationID:
		return foreignDatabase(path)
	case version > dbschema.Version:
		return &ikigai.Error{
			Kind: ikigai.ErrorStore,
			What: fmt.Sprintf("The database %s has schema version %d, and this program knows versions up to %d", path, version, dbschema.Version),
			Do:   "Update ikigai, or name another database file in the settings",
		}
	}
	return nil
}

func foreignDatabase(path string) error {
	return &ikigai.Error{
		Kind: ikigai.ErrorStore,
		What: fmt.Sprintf("The file %s is a database of another program", path),
		Do:   "Name another database file in the settings",
	}
}

func versions(ctx context.Context, c *connection) (application, version int, err error) {
	if err = c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, 0, err
	}
	err = c.QueryRowContext(ctx, "PRAGMA application_id").Scan(&application)
	return application, version, err
}

// changeSchema creates the schema in an empty file, if create is true, or
// brings an older one up to date. A lock beside the file makes other processes
// wait that want to do the same.
func changeSchema(ctx context.Context, c *connection, path string, create bool) (Migration, error) {
	unlock, err := lockFile(ctx, path+".creating")
	if err != nil {
		return Migration{}, err
	}
	defer unlock()
	application, version, err := versions(ctx, c)
	switch {
	case err != nil:
		return Migration{}, err
	case application == applicationID && 0 < version && version < dbschema.Version:
		return migrate(ctx, c, path, version)
	case application != 0 || version != 0: // another process was first
		return Migration{}, checkVersions(path, application, version)
	}
	return Migration{}, createSchema(ctx, c, path, create)
}

func createSchema(ctx context.Context, c *connection, path string, create bool) error {
	var objects int
	if err := c.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return foreignDatabase(path)
	}
	if !create {
		return notFound(path)
	}
	// SQLite does not wait when two connections change the journal mode at once.
	// auto_vacuum has to come first, and lets Vacuum work in small steps.
	if _, err := c.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL"); err != nil {
		return err
	}
	return c.transaction(ctx, func(ctx context.Context) error {
		_, err := c.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d",
			schema, applicationID, dbschema.Version))
		return err
	})
}
