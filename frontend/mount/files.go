package mount

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
)

// File is one entry of a mounted folder. All belong to root.
type File struct {
	// Path is relative to the folder, with slashes.
	Path string
	// Mode is the type and the permissions.
	Mode fs.FileMode
	// Data is the content of a regular file, or where a symbolic link points.
	Data []byte
}

// CAFiles returns the folder for RUNs that need certificates only: the public
// roots and wget's configuration. It is sorted by path.
func CAFiles() []File {
	return []File{
		file(cabundle.FileName, string(cabundle.Bundle{}.PEM())),
		file(cabundle.WgetRC, string(cabundle.Bundle{}.WgetRCContent())),
	}
}

// AptFiles returns the folder for RUNs that may run apt, with the compiled
// method of their platform. It is sorted by path.
//
// The mount point OperatorDir is an empty folder in it: the folder is mounted
// read-only, so that the operator's part finds no place of its own.
func AptFiles(method []byte) []File {
	files := append(CAFiles(),
		folder("apt"), folder("apt/main"), folder("apt/methods"), folder("operator"),
		file("apt/apt.conf", aptConf),
		file("apt/last.conf", lastConf),
		link("apt/main/50-image", "/etc/apt/apt.conf"),
		file("apt/main/99-loopx", aptSettings()),
		File{Path: "apt/method", Mode: 0o555, Data: method},
		file("apt/zz-loopx", aptConf),
		File{Path: "apt/sudoers", Mode: 0o440, Data: []byte(sudoers)},
	)
	for name, to := range methodLinks() {
		files = append(files, link("apt/methods/"+name, to))
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

func file(path, text string) File { return File{Path: path, Mode: 0o444, Data: []byte(text)} }
func folder(path string) File     { return File{Path: path, Mode: fs.ModeDir | 0o755} }
func link(path, to string) File {
	return File{Path: path, Mode: fs.ModeSymlink | 0o777, Data: []byte(to)}
}

// aptConf is what APT_CONFIG names: apt reads it first, so that anything in the
// image would win over it. It therefore sets only where apt reads its *last*
// file from. As a file of /etc/apt/apt.conf.d it does the same.
//
// A link to a file that the image does not have is no news to anybody.
const aptConf = `Dir::Etc::main "` + Dir + `/apt/last.conf";
Dir::Ignore-Files-Silently:: "^50-image$";
`

// lastConf reads a folder in the order of its names: the image's own
// /etc/apt/apt.conf, if it has one, then ours. Naming the file itself would be
// an error where it does not exist.
const lastConf = `#include "` + Dir + `/apt/main/";
`

// sudoers makes sudo keep the variable. See sudoers(5), env_keep.
const sudoers = `Defaults env_keep += "APT_CONFIG"
`

// stockMethods is where apt keeps its own.
const stockMethods = "/usr/lib/apt/methods/"

// pipelineDepth is how many requests apt hands to the method before it has
// answers. apt's default is 10; the method's connections take as many as they
// can. It is set because 0, which an image may set, stops apt.
const pipelineDepth = 32

// aptSettings are the settings that must win: nothing but -o and -c on apt's
// command line is read after them.
//
// A method by its name is for apt 1.3 and later; the folder is for older ones,
// which know no other way.
func aptSettings() string {
	var b strings.Builder
	for _, program := range aptPrograms() {
		fmt.Fprintf(&b, "#clear Binary::%s::Dir::Bin;\n", program)
	}
	set := func(name, value string) { fmt.Fprintf(&b, "%s %q;\n", name, value) }
	set("Dir::Bin::methods", Dir+"/apt/methods/")
	set("Dir::Bin::methods::http", Method)
	set("Dir::Bin::methods::https", Method)
	set("Dir::Bin::methods::mirror", stockMethods+"mirror+http")
	for _, name := range refusedMethods() {
		set("Dir::Bin::methods::"+name, "false")
	}
	set("Acquire::Max-Pipeline-Depth", fmt.Sprint(pipelineDepth))
	set("LoopX::Dir", Dir)
	return b.String()
}

// aptPrograms are those that have a scope of their own in the configuration,
// Binary::NAME. Once all files are read apt moves what is in it to the top,
// over what was read last; methods there would win over ours.
func aptPrograms() []string {
	return []string{"apt", "apt-cache", "apt-cdrom", "apt-config", "apt-get", "apt-mark", "aptitude"}
}

// refusedMethods have no TLS form, or fetch by themselves in clear text. apt
// says "The method 'ftp' is explicitly disabled via configuration".
func refusedMethods() []string {
	return []string{"ftp", "mirror+ftp", "rsh", "ssh", "tor+http"}
}

// methodLinks are the folder for apt older than 1.3: ours for http and https,
// the image's own for the rest. A name that is not in it, or that the image
// lacks, is a method that "could not be found", as without us.
//
// The method mirror fetched by itself, in clear text, until apt 1.6, in which
// it got the second name mirror+http: that name is found where it is safe.
func methodLinks() map[string]string {
	links := map[string]string{"http": "../method", "https": "../method", "mirror": stockMethods + "mirror+http"}
	for _, name := range imageMethods() {
		links[name] = stockMethods + name
	}
	return links
}

// imageMethods are the methods of apt itself that do not fetch in clear text,
// and those of packages in Debian and of vendors (apt-transport-tor, -s3,
// -in-toto, -artifact-registry, …).
func imageMethods() []string {
	return []string{
		"bzip2", "cdrom", "copy", "file", "gpgv", "gzip", "lzma", "rred", "sqv", "store", "xz",
		"mirror+copy", "mirror+file", "mirror+http", "mirror+https",
		"tor", "tor+https", "tor+mirror+file", "tor+mirror+https",
		"ar+https", "artifact-registry", "azure-blob", "debtorrent", "gs", "intoto", "s3", "spacewalk",
	}
}
