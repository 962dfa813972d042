//go:build !linux

package daemon

import (
	"context"
	"errors"
)

// supervisor is for Linux alone, where buildkitd runs RUNs.
type supervisor struct{ address string }

func userID() int { return 0 }

func start(string, []string) (*supervisor, error) {
	return nil, errors.New("buildkitd runs on Linux")
}

func (*supervisor) ready(context.Context, *Daemon) error { return nil }
func (*supervisor) log() string                          { return "" }
func (*supervisor) stop() error                          { return nil }

// Supervise is for Linux alone.
func Supervise([]string) error { return errors.New("buildkitd runs on Linux") }
