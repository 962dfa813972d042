//go:build unix

package replace

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// chown gives f the owner and group of old where they differ.
func chown(f *os.File, old fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	want, ok2 := old.Sys().(*syscall.Stat_t)
	if !ok || !ok2 || is.Uid == want.Uid && is.Gid == want.Gid {
		return nil
	}
	if err := f.Chown(int(want.Uid), int(want.Gid)); err != nil {
		return fmt.Errorf("its owner %d:%d cannot be kept: %w", want.Uid, want.Gid, unwrapped(err))
	}
	return nil
}

func links(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 1
}
