package main

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// ahead is how many files are worked on, or wait for one before them, at once:
// enough for the processors to be busy while one large file is planned, and
// little enough that a slow reader of the output does not fill the memory.
const ahead = 256

// inOrder calls do for each index below n, on as many goroutines as there are
// processors, and took for each in order, on this one, once it and all before it
// are done. It ends with the first error, or as ctx ends, when no call of do runs
// any more.
func inOrder(ctx context.Context, n int, do, took func(int) error) error {
	running, stop := context.WithCancel(ctx)
	results := make([]chan error, n)
	for i := range results {
		results[i] = make(chan error, 1)
	}
	room := make(chan struct{}, ahead)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for {
				select {
				case <-running.Done():
					return
				case room <- struct{}{}:
				}
				i := int(next.Add(1)) - 1
				if i >= n || running.Err() != nil {
					return
				}
				results[i] <- do(i)
			}
		})
	}
	defer workers.Wait()
	defer stop()
	for i, result := range results {
		select {
		case <-ctx.Done():
			return &fault.Error{Message: "stopped: " + ctx.Err().Error()}
		case err := <-result:
			if err == nil {
				err = took(i)
			}
			if err != nil {
				return err
			}
		}
		<-room
	}
	return nil
}

// nothing is done about a file that was taken.
func nothing(int) error { return nil }
