package aptmethod

import (
	"fmt"
	"slices"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// answer sends a message about the file, under the URI as apt wrote it. If apt
// is gone, the writer keeps the error.
func (j *job) answer(first string, fields ...message.Field) {
	_ = j.out.Write(first, append([]message.Field{{Name: "URI", Value: j.uri}}, fields...)...)
}

// done sends "201 URI Done".
func (j *job) done(modified time.Time, resumed int64, s *sums) {
	j.answer("201 URI Done", append([]message.Field{
		{Name: "Filename", Value: j.path},
		{Name: "Size", Value: number(s.size)},
		{Name: "Last-Modified", Value: formatTime(modified)},
		{Name: "Resume-Point", Value: number(resumed)},
	}, s.fields()...)...)
}

// fail sends "400 URI Failure".
func (j *job) fail(f *fetch.Failure) {
	j.report.failed(j.item)
	reason, transient := f.Reason, ""
	if f.Transient {
		transient = "true"
	} else if slices.Contains(transientReasons(), reason) {
		reason = ""
	}
	j.answer(
		"400 URI Failure",
		message.Field{Name: "Message", Value: f.Message},
		message.Field{Name: "FailReason", Value: reason},
		message.Field{Name: "Transient-Failure", Value: transient},
	)
}

// transientReasons are those that apt takes for transient by themselves. Source:
// RunMessages in apt-pkg/acquire-worker.cc.
func transientReasons() []string {
	return []string{"Timeout", "ConnectionRefused", "ConnectionTimedOut", "ResolveFailure", "TmpResolveFailure"}
}

// log sends "101 Log", which apt shows with its debug output only.
func (j *job) log(format string, args ...any) {
	j.answer("101 Log", message.Field{Name: "Message", Value: fmt.Sprintf(format, args...)})
}
