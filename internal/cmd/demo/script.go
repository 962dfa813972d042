package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
)

// script is the testbed.TB of a program that isn't a test: it runs from top to
// bottom and ends at the first thing that goes wrong.
type script struct {
	ctx      context.Context
	out      io.Writer
	failed   bool
	cleanups []func()
}

// stopped is what Fatalf panics with.
type stopped struct{ error }

// run calls body and then what it registered for cleaning up. It returns the
// error that stopped body.
func (s *script) run(body func()) (err error) {
	defer func() {
		for _, f := range slices.Backward(s.cleanups) {
			f()
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			stop, ok := p.(stopped)
			if !ok {
				panic(p)
			}
			s.failed, err = true, stop.error
		}
	}()
	body()
	return nil
}

func (s *script) Cleanup(f func())         { s.cleanups = append(s.cleanups, f) }
func (s *script) Context() context.Context { return s.ctx }
func (s *script) Failed() bool             { return s.failed }
func (s *script) Helper()                  {}

func (s *script) Fatalf(format string, args ...any) {
	panic(stopped{fmt.Errorf(format, args...)})
}

func (s *script) Logf(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...)
}

func (s *script) TempDir() string {
	dir, err := os.MkdirTemp("", "loopx-demo-")
	if err != nil {
		s.Fatalf("%v", err)
	}
	s.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
