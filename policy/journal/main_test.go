package journal

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// childFolder makes the test program a process that records runs in this folder,
// until it is killed or its standard input ends.
const childFolder = "LOOPX_TEST_JOURNAL"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// child reads a line of standard input for each run: "begin", "append" and "end",
// and tells what it did.
func child(dir string) int {
	var turn *Turn
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var err error
		said := in.Text()
		switch in.Text() {
		case "begin":
			turn, err = Begin(context.Background(), dir, true)
		case "append":
			var r Record
			r, err = turn.Append(record(time.Now()))
			said = r.ID
		case "end":
			err = turn.End()
		}
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(said)
	}
	return 0
}

// record is one of a run at a time.
func record(at time.Time) Record {
	return Record{
		Preset: "security", Trigger: "weekly", Started: at.UTC(), Finished: at.UTC().Add(time.Second),
		Tool: "v1.2.3", Decision: Passed, Counts: map[string]int{"blockers": 0},
	}
}
