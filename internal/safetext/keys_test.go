package safetext

import "testing"

func TestEveryKeyShapeIsRedacted(t *testing.T) {
	for _, shape := range keyShapes {
		key := shape.prefix + "0123456789abcdefghijklmnopqrstuvwxyz"
		if got := RedactKeys(key); got != shape.prefix+Redacted {
			t.Errorf("RedactKeys(%q) = %q", key, got)
		}
	}
}
