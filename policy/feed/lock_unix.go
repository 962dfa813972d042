//go:build unix

package feed

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock on an open file that one process holds at a time; ok is
// false while another has it. It ends when the file is closed.
func tryLock(f *os.File) (ok bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
