package rewrite

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/loopx/loopx-frontend/"

// layers says what each part of the module may import of the others: imports
// run one way, so that the decision stays free of I/O and of the frontend.
var layers = []struct {
	dir  string
	may  []string
	pure bool // imports neither os nor net/http
}{
	{"cmd", []string{"cmd", "frontend", "policy", "rewrite"}, false},
	{"frontend", []string{"frontend", "policy", "rewrite"}, false},
	{"policy/feed", []string{"policy", "rewrite"}, false},
	{"policy/journal", []string{"policy", "rewrite"}, false},
	{"policy/gitread", []string{"policy", "rewrite"}, false},
	{"policy", []string{"policy", "rewrite"}, true},
	{"rewrite/textmap", nil, true},
	{"rewrite/route", nil, true},
	{"rewrite/aptsource", []string{"rewrite/route", "rewrite/textmap"}, true},
	{"rewrite/words", []string{"rewrite/aptsource", "rewrite/route", "rewrite/textmap"}, true},
	{"rewrite/checks", []string{"rewrite/textmap", "rewrite/words"}, true},
	{"rewrite", []string{"rewrite/"}, true},
}

func TestImports(t *testing.T) {
	err := filepath.WalkDir("..", func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case d.Name() == "testdata" || d.Name() == "tools" || d.Name() != ".." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		checkImports(t, dir)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, dir string) {
	t.Helper()
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return // no Go files
	}
	rel, err := filepath.Rel("..", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, layer := range layers {
		if rel != layer.dir && !strings.HasPrefix(rel, layer.dir+"/") {
			continue
		}
		for _, imp := range pkg.Imports {
			if layer.pure && (imp == "os" || imp == "net/http" || imp == "os/exec" || imp == "time" && layer.dir != "policy") {
				t.Errorf("%s imports %s", rel, imp)
			}
			if part, ours := strings.CutPrefix(imp, module); ours && !allowed(part, layer.may) {
				t.Errorf("%s imports %s", rel, part)
			}
		}
		return
	}
}

func allowed(part string, may []string) bool {
	for _, m := range may {
		if part == m || strings.HasPrefix(part, strings.TrimSuffix(m, "/")+"/") {
			return true
		}
	}
	return false
}
