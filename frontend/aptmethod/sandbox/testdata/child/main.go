// Command child drops root with many threads around, says so, and waits until
// its stdin ends. Its arguments are a passwd file and configuration items;
// "again" drops a second time, with no file to look users up in.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/sandbox"
)

func main() {
	if err := syscall.Setgroups([]int{0, 4}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	conf := &aptconf.Conf{}
	again := false
	for _, item := range os.Args[2:] {
		name, value, ok := strings.Cut(item, "=")
		if again = !ok; ok {
			conf.Add(name, value)
		}
	}
	threads(8)
	err := sandbox.Drop(conf, os.Args[1])
	if err == nil && again {
		err = sandbox.Drop(conf, "/nonexistent")
	}
	if err != nil {
		fmt.Println(err)
	} else {
		fmt.Println("dropped")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// threads starts n threads that stay.
func threads(n int) {
	var up sync.WaitGroup
	for range n {
		up.Add(1)
		go func() {
			runtime.LockOSThread()
			up.Done()
			select {}
		}()
	}
	up.Wait()
}
