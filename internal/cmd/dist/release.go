package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/layout"

	"github.com/loopx/loopx-frontend/internal/image"
)

// givenImage is the variable of loopxctl with the reference of the frontend's
// image.
const givenImage = "github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/given.Image"

// sumsFile is the file with the checksums of all others. A folder that has one is
// taken for an earlier release.
const sumsFile = "SHA256SUMS"

// make makes all files in a folder beside out, which then takes out's place.
func (r *release) make(ctx context.Context) error {
	if entries, err := os.ReadDir(r.out); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(r.out, sumsFile)); err != nil {
			return fmt.Errorf("%s holds other files than a release: name another folder with -out", r.out)
		}
	}
	tmp, err := os.MkdirTemp(filepath.Dir(r.out), ".dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files, work := filepath.Join(tmp, "files"), filepath.Join(tmp, "work")
	if err := errors.Join(os.Mkdir(files, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return err
	}
	if err := r.fill(ctx, files, work); err != nil {
		return err
	}
	if err := writeSums(files); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	return os.Rename(files, r.out)
}

// fill makes the files of the release; work is a folder for what they are made of.
func (r *release) fill(ctx context.Context, files, work string) error {
	digest, err := r.image(ctx, files, work)
	if err != nil {
		return err
	}
	programs, err := r.companions(ctx, work, digest)
	if err != nil {
		return err
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(work, "oci"))
	if err != nil {
		return err
	}
	contents, err := readImage(index)
	if err != nil {
		return err
	}
	licences, err := r.licences(ctx, append(contents.programs, programs...))
	if err != nil {
		return err
	}
	if err := r.archives(ctx, files, work, digest, programs, licences); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(files, "THIRD-PARTY-LICENSES.txt"), licences, 0o644),
		writeBOM(filepath.Join(files, "loopx_"+r.version+".cdx.json"), r.bom(digest, contents, programs)),
	)
}

// image makes the frontend's image, as an archive among the files and as a
// layout in work, and returns its digest.
func (r *release) image(ctx context.Context, files, work string) (digest string, err error) {
	name := filepath.Join(files, "loopx-frontend_"+r.version)
	cmd := exec.CommandContext(ctx, "go", "run", "./internal/cmd/mkimage",
		"-tar", name+".oci.tar", "-oci", filepath.Join(work, "oci"),
		"-platforms", r.frontends, "-targets", r.targets, "-version", r.version, "-revision", r.revision)
	cmd.Dir, cmd.Stderr = r.root, r.progress
	cmd.Env = append(os.Environ(), fmt.Sprint("SOURCE_DATE_EPOCH=", r.time.Unix()))
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the frontend's image: %w", err)
	}
	return strings.TrimSpace(string(out)), os.WriteFile(name+".digest", out, 0o644)
}

// companions compiles loopxctl for each platform.
func (r *release) companions(ctx context.Context, work, digest string) ([]program, error) {
	var all []program
	for _, platform := range r.platforms {
		fmt.Fprintln(r.progress, "dist: compiling loopxctl for", platform)
		file := filepath.Join(work, strings.ReplaceAll(platform, "/", "_"))
		if err := r.companion(digest).Compile(ctx, platform, file); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p, err := readProgram(data)
		if err != nil {
			return nil, fmt.Errorf("loopxctl for %s: %w", platform, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// companion is loopxctl, as it is compiled.
func (r *release) companion(digest string) image.Program {
	p := image.Program{Root: r.root, Package: "./cmd/loopxctl", Variables: [][2]string{{"main.release", r.version}}}
	if r.repo != "" {
		p.Variables = append(p.Variables, [2]string{givenImage, r.repo + "@" + digest})
	}
	return p
}

// archives packs each program with its documentation, as a zip archive for
// Windows and a compressed tar archive for others.
func (r *release) archives(ctx context.Context, files, work, digest string, programs []program, licences []byte) error {
	shared, err := r.shared(ctx, work, digest)
	if err != nil {
		return err
	}
	shared = append(shared, file{"THIRD-PARTY-LICENSES.txt", 0o644, licences})
	for _, p := range programs {
		name := "loopxctl_" + r.version + "_" + strings.ReplaceAll(p.platform, "/", "_")
		binary, write, ext := "loopxctl", writeTarGz, ".tar.gz"
		if strings.HasPrefix(p.platform, "windows/") {
			binary, write, ext = "loopxctl.exe", writeZip, ".zip"
		}
		all := append([]file{{binary, 0o755, p.data}}, shared...)
		if err := create(filepath.Join(files, name+ext), name, all, r.time, write); err != nil {
			return err
		}
	}
	return nil
}

// shared are the files in every archive beside the program and the licences.
func (r *release) shared(ctx context.Context, work, digest string) ([]file, error) {
	var all []file
	names := []string{"LICENSE", "README.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/schema/*.json"} {
		found, err := fs.Glob(os.DirFS(r.root), pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name, 0o644, data})
	}
	host := filepath.Join(work, "host")
	if err := r.companion(digest).Compile(ctx, runtime.GOOS+"/"+runtime.GOARCH, host); err != nil {
		return nil, err
	}
	for _, c := range [][2]string{{"bash", "loopxctl.bash"}, {"zsh", "_loopxctl"}, {"fish", "loopxctl.fish"}, {"powershell", "loopxctl.ps1"}} {
		script, err := exec.CommandContext(ctx, host, "completion", c[0]).Output()
		if err != nil {
			return nil, fmt.Errorf("loopxctl completion %s: %w", c[0], err)
		}
		all = append(all, file{"completions/" + c[1], 0o644, script})
	}
	return all, nil
}
