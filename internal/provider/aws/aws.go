// Package aws gives requests to Amazon Bedrock the signature that AWS knows its
// customers by, Signature Version 4, for people who have AWS credentials and no
// key of Bedrock's own.
//
// Credentials are looked for where the AWS tools look for them: in the
// environment, then in the profile of the shared files, and then, for
// everything else that a profile can ask for (roles, single sign-on, a
// machine's own role), the AWS command line is asked.
package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"ikigai"
	"ikigai/internal/provider"
)

// Options say where credentials are looked for, and on whose behalf.
type Options struct {
	Getenv func(name string) string
	Home   string // home directory; "" if there is none

	// Run runs a command line with sh and returns what it prints. The error is an
	// *exec.ExitError where the command ran and failed.
	Run func(ctx context.Context, command string) (string, error)
	// Now is the time; nil is the clock.
	Now func() time.Time
}

// Signer signs requests. It may be used by several goroutines.
type Signer struct {
	options Options
	signer  *v4.Signer

	mutex       sync.Mutex
	credentials sdk.Credentials // the last that were found
}

// New returns a Signer. It does no I/O: credentials are looked for with the
// first request, and again when they have run out.
func New(o Options) *Signer {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Signer{options: o, signer: v4.NewSigner()}
}

// Authorize signs r, as provider.Config.Authorize. The error is an *ikigai.Error
// of kind auth.
func (s *Signer) Authorize(ctx context.Context, r *http.Request, body provider.Body) error {
	credentials, err := s.retrieve(ctx)
	if err != nil {
		return err
	}
	service, region := s.scope(r.URL.Hostname())
	if region == "" {
		return fault("The address "+r.URL.Host+" names no region of AWS", "Export AWS_REGION", nil)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, body.Reader()); err != nil {
		return err
	}
	err = s.signer.SignHTTP(ctx, credentials, r, hex.EncodeToString(hash.Sum(nil)), service, region, s.options.Now())
	if err != nil {
		return fault("The request cannot be signed: "+err.Error(), "Check the AWS credentials", err)
	}
	return nil
}

// scope returns the service and the region that a signature is good for: those
// of the host where it tells them, as in bedrock-mantle.us-east-1.api.aws, else
// the region that is set.
func (s *Signer) scope(host string) (service, region string) {
	service = "bedrock"
	labels := strings.Split(host, ".")
	if labels[0] == "bedrock-mantle" {
		service = labels[0]
	}
	if len(labels) > 3 && strings.HasPrefix(labels[0], "bedrock") {
		return service, labels[1]
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := s.options.Getenv(name); region != "" {
			return service, region
		}
	}
	return service, ""
}

// retrieve returns credentials that have not run out.
func (s *Signer) retrieve(ctx context.Context) (sdk.Credentials, error) {
	const reserve = time.Minute // in which a request reaches its vendor
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c := s.credentials
	if c.HasKeys() && (!c.CanExpire || s.options.Now().Add(reserve).Before(c.Expires)) {
		return c, nil
	}
	c, err := s.options.find(ctx)
	if err != nil {
		return c, err
	}
	s.credentials = c
	return c, nil
}

func fault(what, do string, cause error) error {
	return &ikigai.Error{Kind: ikigai.ErrorAuth, What: what, Do: do, Err: cause}
}
