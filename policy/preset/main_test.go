package preset_test

import "flag"

var _ = flag.Bool("update", false, "there are no goldens here")
