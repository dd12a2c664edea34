package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ikigai"
)

// Codes of PostgreSQL's errors.
const (
	codeReadOnly         = "25006"
	codeNoTable          = "42P01"
	codeForeignKey       = "23503"
	codeNoPassword       = "28P01"
	codeNoAuthorization  = "28000"
	codeNoDatabase       = "3D000"
	codeNoPrivilege      = "42501"
	codeTableThere       = "42P07"
	codeFunctionThere    = "42723"
	codeDiskFull         = "53100"
	codeOutOfMemory      = "53200"
	codeTooManyClients   = "53300"
	codeShutdown         = "57P01"
	codeCrash            = "57P02"
	codeStarting         = "57P03"
	codeCanceled         = "57014"
	codeCorrupt          = "XX001"
	codeIndexCorrupt     = "XX002"
	codeIO               = "58030"
	codeDatabaseDropped  = "57P04"
	codeIdleTransaction  = "25P03"
	codeIdleSession      = "57P05"
	codeLockNotAvailable = "55P03"
)

// fail returns err, which ended an operation on the database at place, as an
// error that says what failed and what to do. Errors that say so already, those
// of the contract and that of an ended ctx keep their identity.
func fail(ctx context.Context, place, operation string, err error) error {
	var told *ikigai.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &told):
		return err
	case ended(ctx) != nil:
		return fmt.Errorf("%s: %w", operation, ended(ctx))
	case errors.Is(err, ikigai.ErrFenced), errors.Is(err, ikigai.ErrConflict), errors.Is(err, ikigai.ErrBusy),
		errors.Is(err, ikigai.ErrForked), errors.Is(err, ikigai.ErrNotFound):
		return fmt.Errorf("%s: %w", operation, err)
	}
	what, do := explain(place, err)
	return &ikigai.Error{Kind: ikigai.ErrorStore, What: what, Do: do, Err: fmt.Errorf("%s: %w", operation, err)}
}

// ended returns the error of a context that has ended, or is about to: the
// network may know of its deadline first.
func ended(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

func explain(place string, err error) (what, do string) {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return explainCode(place, said)
	}
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		verify   *tls.CertificateVerificationError
		lookup   *net.DNSError
		connect  *pgconn.ConnectError
		network  net.Error
	)
	switch {
	case errors.Is(err, errClosed):
		return fmt.Sprintf("The database %s is closed", place), "This is a fault of ikigai; please report it"
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid), errors.As(err, &verify), errors.As(err, &record):
		return fmt.Sprintf("The certificate of the database %s is not accepted", place),
			"Name the authority that signed it with sslrootcert in the address, or check sslmode"
	case strings.Contains(err.Error(), "server refused TLS connection"):
		return fmt.Sprintf("The database %s does not encrypt connections", place),
			"Turn ssl on at the server, or write sslmode=disable into the address if the network can be trusted"
	case strings.Contains(err.Error(), "read only connection"):
		return readOnly(place)
	case errors.As(err, &lookup):
		return fmt.Sprintf("The host of the database %s is not known", place), "Check its name in the address, and the network"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("No server answers at %s", place), "Check that PostgreSQL runs there and listens"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Sprintf("The database %s does not answer", place), "Check that the server runs and can be reached"
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, pgconn.ErrConnClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Sprintf("The connection to the database %s broke", place), "Check that the server runs and can be reached"
	}
	return fmt.Sprintf("The database %s cannot be used: %v", place, err), "Run `ikigai doctor` to have it checked"
}

func explainCode(place string, e *pgconn.PgError) (what, do string) {
	switch e.Code {
	case codeNoPassword, codeNoAuthorization:
		return fmt.Sprintf("The database %s refuses the user: %s", place, e.Message),
			"Check the user and the password in the address, in PGPASSWORD or in ~/.pgpass"
	case codeNoDatabase:
		return fmt.Sprintf("There is no database at %s", place), "Create it with `createdb`, or correct its name in the address"
	case codeNoPrivilege:
		return fmt.Sprintf("The user may not do this in the database %s: %s", place, e.Message),
			"Have its owner grant it, for the first start with GRANT CREATE ON SCHEMA public"
	case codeTableThere, codeFunctionThere:
		return fmt.Sprintf("The database %s holds tables of another program: %s", place, e.Message),
			"Name a database of its own in the setting database"
	case codeReadOnly:
		return readOnly(place)
	case codeDiskFull:
		return fmt.Sprintf("The disk of the database %s is full", place), "Free some space on the server"
	case codeOutOfMemory:
		return fmt.Sprintf("The server of the database %s is out of memory", place), "Look at what else runs there"
	case codeTooManyClients:
		return fmt.Sprintf("The server of the database %s has no connection left", place),
			"Close other programs that use it, or raise max_connections"
	case codeStarting:
		return fmt.Sprintf("The server of the database %s is starting or stopping", place), "Wait a moment"
	case codeShutdown, codeCrash, codeDatabaseDropped, codeIdleTransaction, codeIdleSession:
		return fmt.Sprintf("The server closed the connection to the database %s", place), "Check that it runs"
	case codeCanceled:
		return fmt.Sprintf("The server of the database %s ended a statement: %s", place, e.Message),
			"Try again, or raise statement_timeout"
	case codeLockNotAvailable:
		return fmt.Sprintf("Another program locks tables of the database %s", place), "Wait until it is done"
	case codeCorrupt, codeIndexCorrupt, codeIO:
		return fmt.Sprintf("The database %s is damaged or its disk broken: %s", place, e.Message),
			"Look at the messages of the server, and put back a backup if need be"
	}
	return fmt.Sprintf("The database %s cannot be used: %s", place, e.Message), "Run `ikigai doctor` to have it checked"
}

func readOnly(place string) (what, do string) {
	return fmt.Sprintf("The database %s takes no writes: it is read-only, or follows another server", place),
		"Name the server that takes writes in the address, or all of them, separated by commas"
}

// hasCode reports whether err is PostgreSQL's error with a code.
func hasCode(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}
