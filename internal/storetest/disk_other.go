//go:build !linux

package storetest

import "testing"

func mount(*testing.T, string, int) (lift func(), ok bool) { return nil, false }
