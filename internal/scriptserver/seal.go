package scriptserver

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// seal returns what only this server has for some texts, as vendors sign what
// their models think: it comes back unchanged, or the request is refused. It is
// letters, digits, - and _, 44 of them.
func seal(texts ...string) string {
	sum := sha256.Sum256([]byte("scripted\x00" + strings.Join(texts, "\x00")))
	return strings.ReplaceAll(base64.URLEncoding.EncodeToString(sum[:]), "=", "A")
}
