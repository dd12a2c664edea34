package aws

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
)

// commandLimit bounds the wait for a command that has credentials.
const commandLimit = 30 * time.Second

// notFound is how sh ends where there is no such program.
const notFound = 127

// find looks for credentials, place after place.
func (o Options) find(ctx context.Context) (sdk.Credentials, error) {
	profile := o.Getenv("AWS_PROFILE")
	if profile == "" {
		if c := o.fromEnvironment(); c.HasKeys() {
			return c, nil
		}
	}
	settings := o.profile(cmp.Or(profile, "default"))
	c := sdk.Credentials{
		AccessKeyID:     settings["aws_access_key_id"],
		SecretAccessKey: settings["aws_secret_access_key"],
		SessionToken:    settings["aws_session_token"],
	}
	if c.HasKeys() && settings["role_arn"] == "" {
		return c, nil
	}
	if command := settings["credential_process"]; command != "" {
		return o.fromCommand(ctx, "The credential_process of the AWS profile", command)
	}
	command := "aws configure export-credentials --format process"
	if profile != "" {
		command += " --profile '" + strings.ReplaceAll(profile, "'", `'\''`) + "'"
	}
	c, err := o.fromCommand(ctx, "`aws configure export-credentials`", command)
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == notFound {
		return c, fault("There is no key of Bedrock and no AWS credentials were found",
			"Export AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or install the AWS command line and log in with it", err)
	}
	return c, err
}

func (o Options) fromEnvironment() sdk.Credentials {
	return sdk.Credentials{
		AccessKeyID:     o.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: o.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    o.Getenv("AWS_SESSION_TOKEN"),
	}
}

// profile returns the settings of a profile in the shared files. Those in the
// file of credentials come first.
func (o Options) profile(name string) map[string]string {
	all := map[string]string{}
	config := cmp.Or(o.Getenv("AWS_CONFIG_FILE"), o.below("config"))
	credentials := cmp.Or(o.Getenv("AWS_SHARED_CREDENTIALS_FILE"), o.below("credentials"))
	for _, file := range []struct{ path, section string }{{config, "profile " + name}, {config, name}, {credentials, name}} {
		if file.path == config && file.section == name && name != "default" {
			continue // only the default profile stands there without the word
		}
		content, err := os.ReadFile(file.path)
		if err != nil {
			continue // it need not be there
		}
		readSection(all, content, file.section)
	}
	return all
}

func (o Options) below(name string) string {
	if o.Home == "" {
		return ""
	}
	return filepath.Join(o.Home, ".aws", name)
}

// readSection adds the settings of a section to all.
func readSection(all map[string]string, content []byte, section string) {
	inside := false
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, _, _ = strings.Cut(name, "]")
			inside = strings.Join(strings.Fields(name), " ") == section
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if inside && ok && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, ";") {
			all[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
}

// fromCommand returns the credentials that a command prints, in the form that all
// AWS tools share. what names it in an error, which repeats nothing of what it
// prints.
func (o Options) fromCommand(ctx context.Context, what, command string) (sdk.Credentials, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	output, err := o.Run(ctx, command)
	if err != nil {
		return sdk.Credentials{}, fault(what+" gave no credentials", "Run it in a shell to see why; `aws sso login` or `aws configure` may be missing", err)
	}
	var printed struct {
		AccessKeyID     string `json:"AccessKeyId"`
		SecretAccessKey string
		SessionToken    string
		Expiration      time.Time
	}
	if json.Unmarshal([]byte(output), &printed) != nil || printed.AccessKeyID == "" || printed.SecretAccessKey == "" {
		return sdk.Credentials{}, fault(what+" printed something else than credentials", "See that it prints JSON with AccessKeyId and SecretAccessKey", nil)
	}
	return sdk.Credentials{
		AccessKeyID: printed.AccessKeyID, SecretAccessKey: printed.SecretAccessKey, SessionToken: printed.SessionToken,
		CanExpire: !printed.Expiration.IsZero(), Expires: printed.Expiration,
	}, nil
}
