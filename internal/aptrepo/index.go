package aptrepo

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// architectures are those that the suite says it has.
func architectures() []string { return []string{"amd64", "arm64", "armhf", "i386", "riscv64"} }

// addPool adds the packages, each with a source.
func (r *Repo) addPool() {
	for i, p := range r.packages {
		r.files[p.Path()] = p.Body
		tarball, dsc := r.source(p, uint64(i))
		r.files[sourceBase(p)+".tar.gz"] = tarball
		r.files[sourceBase(p)+".dsc"] = dsc
	}
}

func sourceBase(p Package) string {
	return fmt.Sprintf("pool/main/%s/%s_%s", p.Name, p.Name, p.Version)
}

// source makes the two files of a package's source. The tar file is noise too.
func (r *Repo) source(p Package, stream uint64) (tarball, dsc []byte) {
	tarball = noise(r.opts.Seed, 1<<32|stream, 4096)
	var b strings.Builder
	paragraph(&b,
		[2]string{"Format", "3.0 (native)"}, [2]string{"Source", p.Name}, [2]string{"Version", p.Version},
		[2]string{"Maintainer", maintainer},
		[2]string{"Checksums-Sha256", checksum(sha256Hex(tarball), tarball, path.Base(sourceBase(p))+".tar.gz")},
	)
	return tarball, []byte(b.String())
}

const maintainer = "Nobody <nobody@example.org>"

// checksum is an entry of a list of files.
func checksum(sum string, body []byte, name string) string {
	return fmt.Sprintf("\n %s %d %s", sum, len(body), name)
}

func sha256Hex(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
func md5Hex(b []byte) string    { return fmt.Sprintf("%x", md5.Sum(b)) }

// packagesIndex is the file Packages, with prefix before each file's path.
func (r *Repo) packagesIndex(prefix string) []byte {
	var b strings.Builder
	for _, p := range r.packages {
		paragraph(&b,
			[2]string{"Package", p.Name}, [2]string{"Version", p.Version}, [2]string{"Architecture", "all"},
			[2]string{"Maintainer", maintainer}, [2]string{"Depends", strings.Join(p.Depends, ", ")},
			[2]string{"Filename", prefix + p.Path()}, [2]string{"Size", fmt.Sprint(len(p.Body))},
			[2]string{"MD5sum", md5Hex(p.Body)}, [2]string{"SHA256", sha256Hex(p.Body)},
			[2]string{"Section", "misc"}, [2]string{"Priority", "optional"},
			[2]string{"Description", "noise for tests"},
		)
	}
	return []byte(b.String())
}

func (r *Repo) sourcesIndex() []byte {
	var b strings.Builder
	for _, p := range r.packages {
		base := sourceBase(p)
		var sums, md5s string
		for _, end := range []string{".dsc", ".tar.gz"} {
			body := r.files[base+end]
			sums += checksum(sha256Hex(body), body, path.Base(base)+end)
			md5s += checksum(md5Hex(body), body, path.Base(base)+end)
		}
		paragraph(&b,
			[2]string{"Package", p.Name}, [2]string{"Binary", p.Name}, [2]string{"Version", p.Version},
			[2]string{"Maintainer", maintainer}, [2]string{"Architecture", "all"}, [2]string{"Format", "3.0 (native)"},
			[2]string{"Directory", path.Dir(base)},
			[2]string{"Files", md5s}, [2]string{"Checksums-Sha256", sums},
		)
	}
	return []byte(b.String())
}

// addSuite adds the suite's indexes, also by their hash, and its Release.
func (r *Repo) addSuite() {
	dir := "dists/" + r.opts.Suite + "/"
	indexes := map[string][]byte{}
	add := func(name string, body []byte) {
		indexes[name], indexes[name+".gz"] = body, compress(body)
	}
	packages := r.packagesIndex("")
	for _, arch := range architectures() {
		add("main/binary-"+arch+"/Packages", packages)
	}
	add("main/source/Sources", r.sourcesIndex())
	for name, body := range indexes {
		r.files[dir+name] = body
		r.files[dir+path.Dir(name)+"/by-hash/SHA256/"+sha256Hex(body)] = body
	}
	r.addRelease(dir, indexes, [2]string{"Codename", r.opts.Suite}, [2]string{"Suite", r.opts.Suite},
		[2]string{"Architectures", strings.Join(architectures(), " ")}, [2]string{"Components", "main"},
		[2]string{"Acquire-By-Hash", "yes"})
}

// addFlat adds the flat repository, with a pool of its own below it.
func (r *Repo) addFlat() {
	for _, p := range r.packages {
		r.files["flat/"+p.Path()] = p.Body
	}
	body := r.packagesIndex("./")
	indexes := map[string][]byte{"Packages": body, "Packages.gz": compress(body)}
	for name, body := range indexes {
		r.files["flat/"+name] = body
	}
	r.addRelease("flat/", indexes)
}

// addRelease adds dir's Release for the indexes, and its signatures.
func (r *Repo) addRelease(dir string, indexes map[string][]byte, fields ...[2]string) {
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		sums.WriteString(checksum(sha256Hex(indexes[name]), indexes[name], name))
	}
	var b strings.Builder
	paragraph(&b, append(append([][2]string{{"Origin", "aptrepo"}, {"Label", "aptrepo"}}, fields...),
		[2]string{"Date", modified.Format(time.RFC1123[:len(time.RFC1123)-3] + "UTC")}, [2]string{"SHA256", sums.String()})...)
	release := []byte(strings.TrimSuffix(b.String(), "\n"))
	r.files[dir+"Release"] = release
	if r.opts.Signed {
		r.files[dir+"InRelease"] = clearSign(r.key, release)
		r.files[dir+"Release.gpg"] = detachedSign(r.key, release)
	}
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(body)
	w.Close()
	return b.Bytes()
}
