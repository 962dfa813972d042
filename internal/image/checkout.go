package image

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// SourceDate reads a number of seconds since 1970, as SOURCE_DATE_EPOCH has it
// (reproducible-builds.org/specs/source-date-epoch).
func SourceDate(value string) (time.Time, error) {
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil || seconds < 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH=%q is not a number of seconds", value)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Git asks git about the checkout at root, and answers "" where there is no
// repository or no commit.
func Git(ctx context.Context, root string, args ...string) string {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
