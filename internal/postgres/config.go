package postgres

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ikigai"
)

// connectTime bounds the making of a connection where nothing else does.
const connectTime = 10 * time.Second

// parse reads the address of a database. The error does not repeat it: it may
// hold a password.
func parse(address string) (*pgx.ConnConfig, error) {
	if !strings.HasPrefix(address, "postgres://") && !strings.HasPrefix(address, "postgresql://") {
		return nil, badAddress(address, nil)
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, badAddress(address, err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTime
	}
	if _, named := config.RuntimeParams["application_name"]; !named {
		config.RuntimeParams["application_name"] = "ikigai"
	}
	// Of several servers, only one takes events.
	if config.ValidateConnect == nil && len(hosts(config)) > 1 && !strings.Contains(address, "target_session_attrs=") {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return config, nil
}

func badAddress(address string, cause error) error {
	e := &ikigai.Error{
		Kind: ikigai.ErrorUsage,
		What: "The address of the database cannot be read",
		Do:   "Write it as postgres://USER@HOST/DATABASE, with %-escapes for other signs",
	}
	var parsing *pgconn.ParseConfigError
	if !errors.As(cause, &parsing) || parsing.Unwrap() == nil {
		return e
	}
	// What an address without a plain form says where a password may be.
	plain, err := url.Parse(address)
	reason := parsing.Unwrap().Error()
	if err != nil || hasSecret(plain, reason) {
		return e
	}
	e.What += ": " + reason
	return e
}

// hasSecret reports whether text has a password of the address in it.
func hasSecret(address *url.URL, text string) bool {
	password, _ := address.User.Password()
	for _, secret := range append(address.Query()["password"], password) {
		if secret != "" && strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// hosts returns the places that config names, each once: a host and a port, or
// a socket.
func hosts(config *pgx.ConnConfig) []string {
	list := []string{hostPort(config.Host, config.Port)}
	for _, f := range config.Fallbacks {
		if h := hostPort(f.Host, f.Port); !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list
}

func hostPort(host string, port uint16) string {
	if strings.HasPrefix(host, "/") {
		return host
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// place returns the address for people to read, without a password.
func place(config *pgx.ConnConfig) string {
	return "postgres://" + url.User(config.User).String() + "@" + strings.Join(hosts(config), ",") + "/" + url.PathEscape(config.Database)
}
