package setupcfg

import "flag"

var _ = flag.Bool("update", false, "this package has no goldens")
