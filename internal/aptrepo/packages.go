package aptrepo

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Package is one package.
type Package struct {
	Name, Version string
	// Depends are names of packages.
	Depends []string
	// Body is the .deb file. Do not change it.
	Body []byte
}

// Path returns where the package lies, below the archive's root.
func (p Package) Path() string {
	return fmt.Sprintf("pool/main/%s/%s_%s_all.deb", p.Name, p.Name, p.Version)
}

// emptyDeb is how large the package of All is.
const emptyDeb = 512

// makePackages returns the package that depends on all others, then those.
func makePackages(opts Options) []Package {
	list := []Package{{Name: opts.Prefix + "-all", Version: "1.0", Body: noise(opts.Seed, 0, emptyDeb)}}
	for i, size := range sizes(opts) {
		p := Package{
			Name:    fmt.Sprintf("%s%03d", opts.Prefix, i+1),
			Version: fmt.Sprintf("1.%d-1", i%7),
			Body:    noise(opts.Seed, uint64(i)+1, size),
		}
		list = append(list, p)
		list[0].Depends = append(list[0].Depends, p.Name)
	}
	return list
}

// sigma is that of the logarithm of the sizes. With 1.7 the median is about a
// quarter of the mean and a hundredth of the packages has a quarter of the
// bytes, as in the main component of Debian: packages of 100 kB, and a browser.
const sigma = 1.7

// sizes returns how large each package is. They add up to opts.Bytes, but for
// what rounding and the least size add.
func sizes(opts Options) []int {
	r := rand.New(rand.NewPCG(opts.Seed, 1))
	weights, sum := make([]float64, opts.Packages), 0.0
	for i := range weights {
		// Beyond two sigma lie games' data and debug symbols, which nobody
		// installs by the hundred.
		weights[i] = math.Exp(sigma * max(-2, min(2, r.NormFloat64())))
		sum += weights[i]
	}
	out := make([]int, opts.Packages)
	for i, w := range weights {
		out[i] = max(emptyDeb, int(w/sum*float64(opts.Bytes)))
	}
	return out
}

// noise returns n bytes that do not compress and that differ by seed and stream.
func noise(seed, stream uint64, n int) []byte {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], stream)
	body := make([]byte, n)
	rand.NewChaCha8(key).Read(body)
	return body
}

// paragraph writes fields in the form of a control file, those with a value.
func paragraph(b *strings.Builder, fields ...[2]string) {
	for _, f := range fields {
		switch {
		case strings.HasPrefix(f[1], "\n"): // a list; no blank at a line's end
			fmt.Fprintf(b, "%s:%s\n", f[0], f[1])
		case f[1] != "":
			fmt.Fprintf(b, "%s: %s\n", f[0], f[1])
		}
	}
	b.WriteByte('\n')
}
