package builder

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/moby/buildkit/frontend/subrequests"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/frontend/subrequests/outline"
	"github.com/moby/buildkit/frontend/subrequests/targets"

	"github.com/loopx/loopx-frontend/policy/plain"
)

// call is a request to the frontend that is no build.
type call struct {
	name string
	json bool
}

// requests are the frontend's names of calls.
func requests() map[string]string {
	return map[string]string{
		"check": lint.RequestLint, "lint": lint.RequestLint,
		"outline": outline.RequestSubrequestsOutline,
		"targets": targets.RequestTargets, "describe": subrequests.RequestSubrequestsDescribe,
	}
}

// print prints the answer to a call. A status in it that is not 0 is a failure:
// that of a check which found something.
func (p *plan) print(answer map[string][]byte) error {
	out := p.streams.Out
	data := answer["result.json"]
	var err error
	switch {
	case p.call.json || len(data) == 0:
		_, err = fmt.Fprintln(out, string(plain.JSON(data)))
	case p.call.name == "outline":
		err = outline.PrintOutline(data, out)
	case p.call.name == "targets":
		err = targets.PrintTargets(data, out)
	case p.call.name == "describe":
		err = subrequests.PrintDescribe(data, out)
	default:
		err = printLint(out, data)
	}
	if err != nil {
		return err
	}
	if status, _ := strconv.Atoi(string(answer["result.statuscode"])); status != 0 {
		return &Failed{fmt.Errorf("the answer to --call=%s has status %d", p.call.name, status)}
	}
	return nil
}

func printLint(out io.Writer, data []byte) error {
	var results lint.LintResults
	if err := json.Unmarshal(data, &results); err != nil {
		return err
	}
	switch n := len(results.Warnings); n {
	case 0:
		if results.Error == nil {
			_, err := fmt.Fprintln(out, "Check complete, no warnings found.")
			return err
		}
	case 1:
		fmt.Fprintln(out, "Check complete, 1 warning has been found!")
	default:
		fmt.Fprintf(out, "Check complete, %d warnings have been found!\n", n)
	}
	if err := results.PrintTo(out, nil); err != nil {
		return err
	}
	if results.Error != nil {
		results.PrintErrorTo(out, nil)
	}
	return nil
}
