package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/distribution/reference"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// message is one line of what the engine answers to a load or a push. Source:
// ImageLoad and ImagePush in the Docker Engine API.
type message struct {
	Error   string `json:"error"`
	Message string `json:"message"` // of an answer that is an error
}

// Load returns a writer for an archive of images, and a function that waits until
// the engine has taken it in.
func (e *Engine) Load(ctx context.Context) (io.WriteCloser, func() error) {
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := e.post(ctx, "/images/load?quiet=1", "application/x-tar", "", r)
		r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		done <- err
	}()
	return w, func() error { return <-done }
}

// Push makes the engine push an image; auth is the header with the credentials.
func (e *Engine) Push(ctx context.Context, name, auth string) error {
	ref, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return err
	}
	ref = reference.TagNameOnly(ref)
	query := url.Values{}
	if tagged, ok := ref.(reference.Tagged); ok {
		query.Set("tag", tagged.Tag())
	}
	return e.post(ctx, "/images/"+reference.FamiliarName(ref)+"/push?"+query.Encode(), "", auth, nil)
}

// post sends a request and reads its answer, a stream of messages, to the end.
func (e *Engine) post(ctx context.Context, path, kind, auth string, body io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://docker"+path, body)
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if auth != "" {
		req.Header.Set("X-Registry-Auth", auth)
	}
	res, err := e.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	for in := json.NewDecoder(res.Body); ; {
		var m message
		switch err := in.Decode(&m); {
		case errors.Is(err, io.EOF) && res.StatusCode < http.StatusBadRequest:
			return nil
		case err != nil:
			return fmt.Errorf("the Docker engine answers %s", res.Status)
		case res.StatusCode >= http.StatusBadRequest:
			return errors.New(plain.Text(m.Message))
		case m.Error != "":
			return errors.New(plain.Text(m.Error))
		}
	}
}
