// Package config reads the settings: defaults, then the person's file, then the
// project's file once it is trusted, then IKIGAI_* variables, then flags. Each
// layer overrides the ones before it, value by value, and every value knows
// where it comes from.
//
// The table in table.go names every setting once. Loading, the JSON Schema,
// the page of documentation and the list that a person is shown all read it.
//
// The package reads the files of settings and nothing else: environment, home
// and directory are given to it.
package config

import (
	"time"

	"ikigai"
)

// Settings are the values in force, as Load returns them.
type Settings struct {
	Model           string // vendor/model, a vendor's name alone, or "" to choose by the keys at hand
	MaxToolTurns    int    // rounds of tool calls in one statement
	MaxOutputSize   int    // bytes of one tool result
	MaxOutputTokens int    // tokens of one reply; 0 leaves it to the vendor
	BashResult      string // BashCombined or BashSplit
	ToolConcurrency int    // read-only tools that may run at once
	ToolChoice      ikigai.ToolChoice
	Approval        string // ApprovalNever, ApprovalAsk or ApprovalDeny
	MaxRetries      int    // times a failed request is sent again
	Timeouts        Timeouts
	Database        Database

	// Vendors holds the presets and the person's own vendors by name.
	Vendors map[string]Vendor

	// Prices are those that the person has set, by vendor/model.
	Prices map[string]Price

	// DataDir is the directory of the program's own files, absolute: that of
	// the default database. It is "" when there is no place for one.
	DataDir string

	// UserFile is the path of the person's settings file, whether or not it
	// exists. It is "" when there is no place for one.
	UserFile string

	getenv  func(name string) string
	origins map[string]string // by key; a key that is missing has its default
}

// Timeouts limit the waits of a request.
type Timeouts struct {
	Connect   time.Duration // until the connection stands
	FirstByte time.Duration // from the sent request to the first byte of the reply
	Idle      time.Duration // between two pieces of the reply
}

// Values of the setting bash_result.
const (
	BashCombined = "combined"
	BashSplit    = "split"
)

// Values of the setting approval.
const (
	ApprovalNever = "never"
	ApprovalAsk   = "ask"
	ApprovalDeny  = "deny"
)

// Vendor is where a model is reached and how.
type Vendor struct {
	API            string // the protocol: APIChat
	BaseURL        string
	Model          string // used when only the vendor is named
	KeyEnv         string // name of the variable that holds the key
	KeyCmd         string // command line that prints the key
	Organization   string
	MaxTokensField string // name of the request's field for the limit of the reply
	Insecure       bool   // plain HTTP to another machine is wanted

	// What only presets have: members of a reply that the vendor wants back
	// with the message, and the length that it demands of the IDs of calls.
	Replay       []string
	CallIDLength int

	// Headers are sent with each request. Names are in canonical form.
	Headers map[string]string
}

// APIChat is the protocol of OpenAI's Chat Completions, a value of the setting
// api.
const APIChat = "chat"
