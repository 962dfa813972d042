package inventory

import (
	_ "embed" // for the table
	"strings"
	"sync"
)

//go:embed data/built.tsv
var builtTable string

// binary is a package of a system.
type binary struct{ system, name string }

var builtFrom = sync.OnceValue(func() map[binary][]string {
	all := map[binary][]string{}
	for line := range strings.Lines(builtTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		systems := []string{f[0]}
		if f[0] == "*" {
			systems = []string{"debian", "ubuntu"}
		}
		for name := range strings.FieldsSeq(f[2]) {
			for _, s := range systems {
				all[binary{s, name}] = append(all[binary{s, name}], f[1])
			}
		}
	}
	return all
})

// Built returns the source packages that a binary package of Debian or Ubuntu is
// built from, by a table of common packages; several where releases differ, none if
// it is not in the table. The table says of which releases and of what day it is.
func Built(system, name string) []string { return builtFrom()[binary{system, name}] }
