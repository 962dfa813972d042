package diagnostic_test

import (
	"errors"
	"flag"
	"io/fs"
	"testing"

	"github.com/loopx/loopx-frontend/policy/diagnostic"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func TestError(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*diagnostic.Error{
		"a:3: m":         {Name: "a", Line: 3, Message: "m", Todo: "do"},
		"a: m":           {Name: "a", Message: "m", Err: fs.ErrNotExist},
		`a: \x1b[31mred`: {Name: "a", Message: "\x1b[31mred"},
	} {
		if got := e.Error(); got != want || errors.Is(e, fs.ErrNotExist) != (e.Err != nil) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
