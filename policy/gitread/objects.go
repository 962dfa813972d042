package gitread

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// objects reads blobs by one git process, which is started when the first one is
// asked for.
type objects struct {
	git git
	ctx context.Context
	max int64 // bytes

	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err error // after which nothing can be read any more
}

// read returns the bytes of a blob, whose size is known to be within the limit.
func (o *objects) read(object string) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && o.cmd == nil {
		o.err = o.start()
	}
	if o.err != nil {
		return nil, o.err
	}
	data, err := o.ask(object)
	if err != nil && !errors.Is(err, ErrMissing) {
		if o.ctx.Err() != nil {
			err = o.ctx.Err()
		}
		o.err = &Error{Message: "git cat-file: " + err.Error(), Err: err}
		return nil, o.err
	}
	return data, err
}

func (o *objects) start() error {
	cmd := o.git.command(o.ctx, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return &Error{Message: "git cat-file: " + err.Error()}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return &Error{Message: "git cat-file: " + err.Error()}
	}
	if err := cmd.Start(); err != nil {
		return &Error{Message: "git cat-file: " + err.Error()}
	}
	o.cmd, o.in, o.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// ask writes the name of an object and reads "NAME TYPE SIZE", the content and a
// line break (git-cat-file(1), "BATCH OUTPUT").
func (o *objects) ask(object string) ([]byte, error) {
	if _, err := io.WriteString(o.in, object+"\n"); err != nil {
		return nil, err
	}
	head, err := o.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	words := strings.Fields(head)
	if len(words) == 2 && words[1] == "missing" {
		return nil, ErrMissing
	}
	if len(words) != 3 || words[0] != object || words[1] != "blob" {
		return nil, fmt.Errorf("it answers %.100q", head)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size < 0 || size > o.max {
		return nil, fmt.Errorf("it answers %.100q", head)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, err
	}
	return data[:size:size], nil
}

// close ends the process.
func (o *objects) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cmd == nil {
		return nil
	}
	err := errors.Join(o.in.Close(), o.cmd.Wait())
	o.cmd, o.err = nil, &Error{Message: "the repository is closed"}
	if o.ctx.Err() != nil {
		return nil
	}
	return err
}
