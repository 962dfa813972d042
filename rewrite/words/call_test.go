package words_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// TestCalls prints each call as the number of the one that starts it, its words,
// and what else is known of it.
func TestCalls(t *testing.T) {
	t.Parallel()
	tab := table(t, route.Config{})
	for _, tc := range []struct{ text, want string }{
		{"cp a b; cp a b", "0 cp a b;0 cp a b"},
		{"sudo -E nice make", "0 sudo -E nice make;1 nice make;2 make"},
		{"sh -c 'cp $X; ls'", "0 sh -c cp $X; ls read;1 cp ${X};1 ls"},
		{"su -lc 'cp a b' x", "0 su -lc cp a b x read;1 cp a b"},
		{"eval cp a b", "0 eval cp a b read;1 cp a b"},
		{"bash x.sh", "0 bash x.sh"},
		{"f() { cp $1; }; f a", "0 f a function;1 cp a"},
		{"f() { cp a; }", "0 cp a"},
		{"/opt/x/cp a; ./y; /usr/bin/ls; $Z", "0 /opt/x/cp a elsewhere;0 ./y elsewhere;0 /usr/bin/ls;0 ${Z}"},
		{"cd /etc && rm x", "0 cd /etc;0 rm x in /etc"},
		{"find . -exec rm {} + -o -exec ls \\;", "0 find . -exec rm {} + -o -exec ls ;;1 rm .;1 ls"},
		{"x=$(ls) && ls | xargs rm", "0 ls;0 ls;0 xargs rm;3 rm"},
	} {
		var got []string
		for _, c := range words.Analyse(shell(tc.text), tab).Calls[1:] { // 0 is the shell
			var s strings.Builder
			s.WriteString(fmt.Sprint(max(c.By, 0), " ", strings.Join(c.Args, " ")))
			for word, is := range map[string]bool{" read": c.Read, " function": c.Function, " elsewhere": c.Elsewhere, " in " + c.Dir: c.Dir != ""} {
				if is {
					s.WriteString(word)
				}
			}
			got = append(got, s.String())
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, ";")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.text, diff)
		}
	}
}

// TestCallsAreBounded holds that a text that is too much is said to be.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	res := words.Analyse(shell(strings.Repeat("ls\n", 5000)), table(t, route.Config{}))
	if len(res.Calls) == 0 || len(res.Calls) > 5000 || !res.Skipped {
		t.Errorf("%d calls, skipped %v", len(res.Calls), res.Skipped)
	}
}
