package foreign

import "flag"

var update = flag.Bool("update", false, "rewrite testdata")
