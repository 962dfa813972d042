package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
	"github.com/loopx/loopx-frontend/policy/notice"
	"github.com/loopx/loopx-frontend/policy/notice/distro"
	"github.com/loopx/loopx-frontend/policy/notice/inventory"
)

// noticeKnown is what is known of images and packages beside the project.
type noticeKnown struct {
	systems, images, packages, bills []string
}

func (k *noticeKnown) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&k.systems, "base-os", nil, "release of a base image: `IMAGE=SYSTEM:RELEASE`, as python:3.12-slim=debian:12; repeatable")
	flags.StringArrayVar(&k.images, "base", nil, "a base image itself, of which its release and its packages are read: `IMAGE=PATH` of an OCI layout or of what docker save writes; repeatable")
	flags.StringArrayVar(&k.packages, "packages", nil, "list of packages that says what they are built from: `FILE` is an index Packages or Sources of apt; with IMAGE= in front, what is installed in a base image: its /var/lib/dpkg/status, or what dpkg-query -W prints; repeatable")
	flags.StringArrayVar(&k.bills, "sbom", nil, "bill of materials of an image that was built: `FILE` is SPDX 2 or CycloneDX as JSON; with IMAGE= in front, of a base image; repeatable")
	complete(cmd, "base-os", cobra.NoFileCompletions)
	complete(cmd, "sbom", cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt))
}

// input reads what the flags name.
func (c *noticeCommand) input() (notice.Input, error) {
	in := notice.Input{Index: &inventory.Index{}}
	var err error
	if c.rebuilt != "" {
		if in.Rebuilt, err = parseRebuilt(c.rebuilt); err != nil {
			return in, err
		}
	}
	for _, text := range c.systems {
		image, system, ok := strings.Cut(text, "=")
		if !ok || image == "" {
			return in, fmt.Errorf("--base-os: %q is not IMAGE=SYSTEM:RELEASE, as python:3.12-slim=debian:12", text)
		}
		o, err := distro.Parse(system)
		if err != nil {
			return in, fmt.Errorf("--base-os: %w", err)
		}
		in.Bases = append(in.Bases, notice.Base{Image: image, OS: o})
	}
	for _, text := range c.images {
		if err := addImage(&in, text); err != nil {
			return in, err
		}
	}
	for _, text := range c.packages {
		if err := addList(&in, text, false); err != nil {
			return in, err
		}
	}
	for _, text := range c.bills {
		if err := addList(&in, text, true); err != nil {
			return in, err
		}
	}
	return in, nil
}

// addImage reads IMAGE=PATH. What --base-os says of the image counts before what is
// in it.
func addImage(in *notice.Input, text string) error {
	image, name, ok := strings.Cut(text, "=")
	if !ok || image == "" || name == "" {
		return fmt.Errorf("--base: %q is not IMAGE=PATH, as debian:12=layout", text)
	}
	o, packages, err := readBase(name)
	if err != nil {
		return err
	}
	in.Index.Add(inventory.List{Packages: packages})
	for i := range in.Bases {
		if b := &in.Bases[i]; b.Image == image {
			b.Packages = packages
			return nil
		}
	}
	in.Bases = append(in.Bases, notice.Base{Image: image, OS: o, Packages: packages})
	return nil
}

// parseRebuilt reads a day, which ends at its midnight in UTC, or a time.
func parseRebuilt(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("--rebuilt: %q is no day and no time; write it as 2026-11-30 or 2026-11-30T12:00:00Z", text)
	}
	return t, nil
}

// addList reads [IMAGE=]FILE.
func addList(in *notice.Input, text string, bill bool) error {
	image, name, ok := strings.Cut(text, "=")
	if !ok || exists(text) {
		image, name = "", text
	}
	list, err := readList(name)
	if err != nil {
		return err
	}
	in.Index.Add(list)
	switch {
	case image != "" && !list.Installed:
		return &fault.Error{File: name, Message: "is an index of an archive, which does not say what is in " + image, Todo: "Name the image's /var/lib/dpkg/status, or what dpkg-query -W prints in it."}
	case image != "":
		addBase(in, image, list.Packages)
	case bill:
		in.Bills = append(in.Bills, notice.Bill{Name: name, Packages: list.Packages})
	}
	return nil
}

// addBase adds what is installed in a base image to what is known of it. A list
// that is all of one release tells that too.
func addBase(in *notice.Input, image string, packages []inventory.Package) {
	var o distro.OS
	for i, p := range packages {
		if p.Kind != "deb" {
			continue
		}
		if i > 0 && o.System != "" && p.OS != o {
			o = distro.OS{}
			break
		}
		o = p.OS
	}
	for i := range in.Bases {
		if b := &in.Bases[i]; b.Image == image {
			b.Packages = append(b.Packages, packages...)
			return
		}
	}
	in.Bases = append(in.Bases, notice.Base{Image: image, OS: o, Packages: packages})
}

// maxList is the largest list that is read, in bytes, unpacked. Debian's own index
// of all packages has some 50 MB.
const maxList = 256 << 20

// readList reads a list of packages, which may be compressed by gzip.
func readList(name string) (inventory.List, error) {
	info, err := os.Stat(name)
	if err != nil {
		return inventory.List{}, fault.Of(name, "cannot be read", err)
	}
	if info.IsDir() {
		return inventory.List{}, &fault.Error{File: name, Message: "is a directory", Todo: "Name the list of packages in it."}
	}
	f, err := os.Open(name)
	if err != nil {
		return inventory.List{}, fault.Of(name, "cannot be read", err)
	}
	defer f.Close()
	text, err := readUnpacked(f)
	if err != nil {
		return inventory.List{}, fault.Of(name, "cannot be read", err)
	}
	list, err := inventory.Read(string(text))
	if e, ok := errors.AsType[*inventory.Error](err); ok {
		return list, &fault.Error{File: name, Line: e.Line, Message: e.Message}
	}
	return list, err
}

// readUnpacked reads a text to its end.
func readUnpacked(r io.Reader) ([]byte, error) {
	text, err := readBounded(r)
	switch {
	case err != nil:
		return nil, err
	case bytes.HasPrefix(text, []byte("\xfd7zXZ")):
		return nil, errors.New("it is compressed by xz: unpack it first")
	case !bytes.HasPrefix(text, []byte{0x1f, 0x8b}):
		return text, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return readBounded(z)
}

func readBounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxList+1))
	if err == nil && len(text) > maxList {
		err = fmt.Errorf("it is larger than %d MiB", maxList>>20)
	}
	return text, err
}
