package aptsource

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// pick returns one of the choices.
func pick(rng *rand.Rand, choices ...string) string { return choices[rng.IntN(len(choices))] }

// some joins up to n choices, at least min.
func some(rng *rand.Rand, min, n int, sep string, choices ...string) string {
	var words []string
	for range min + rng.IntN(n-min+1) {
		words = append(words, pick(rng, choices...))
	}
	return strings.Join(words, sep)
}

// generate returns a file of a few sources, nearly all of them well formed.
func generate(rng *rand.Rand, f Format, n int) string {
	newline := pick(rng, "\n", "\n", "\n", "\r\n")
	var b strings.Builder
	for range 1 + rng.IntN(4) {
		if f == OneLine {
			b.WriteString(generateLine(rng, n) + newline)
		} else {
			b.WriteString(generateStanza(rng, n, newline) + newline)
		}
	}
	return strings.TrimSuffix(b.String(), pick(rng, "", newline))
}

func generateLine(rng *rand.Rand, n int) string {
	if rng.IntN(6) == 0 {
		return pick(rng, "", " ", "# deb http://h/d a main", "\t#", "#")
	}
	blank := pick(rng, " ", " ", "  ", "\t", " \t ")
	suite := pick(rng, "a", "a-updates", "b/updates", "./", "/", "x/y/", "$(ARCH)/", `"q"`, "%61")
	words := []string{pick(rng, "", "", " ", "\t") + pick(rng, "deb", "deb", "deb-src")}
	if rng.IntN(3) == 0 {
		pad := pick(rng, "", "", " ")
		words = append(words, "["+pad+some(rng, 1, 3, blank, options...)+pad+"]")
	}
	words = append(words, generateURI(rng, OneLine, n), suite)
	if exact := strings.HasSuffix(suite, "/"); exact == (rng.IntN(20) == 0) {
		words = append(words, some(rng, 1, 3, blank, "main", "contrib", `"main"`, "non-free", "universe"))
	}
	return strings.Join(words, blank) + pick(rng, "", "", "", " ", "\t", " # x", "#x")
}

var options = []string{"arch=amd64", "arch=amd64,i386", "arch+=arm64", "lang=de", "trusted=yes", "trusted=no", "signed-by=/k.gpg", "signed-by=/k.gpg,/l.gpg", "signed-by=0123456789ABCDEF0123456789ABCDEF01234567", "signed-by=k", "check-valid-until=no", "valid-until-max=5", "allow-insecure=yes", "by-hash=no", "x=y", `"pdiffs=no"`}

func generateURI(rng *rand.Rand, f Format, n int) string {
	scheme := pick(rng, "http://", "http://", "http://", "https://", "http:", "http:/", "ftp://", "mirror://", "mirror+file:/", "file:///", "HTTP://", "tor+http://")
	host := fmt.Sprintf("%sh%d.example%s", pick(rng, "", "", "", "u@", "u:p@", "u:p%40q@", "@"), n, pick(rng, "", "", "", ":80", ":8080", ":"))
	path := pick(rng, "", "/", "/debian", "/debian/", "/debian//", "/a/b", "/$(ARCH)/c", "/?x=1")
	uri := scheme + host + path
	if f == OneLine {
		switch rng.IntN(8) {
		case 0:
			return `"` + uri + `"`
		case 1:
			i := rng.IntN(len(uri))
			return uri[:i] + `""` + uri[i:]
		case 2:
			return strings.Replace(uri, ":", "%3a", 1)
		}
	}
	return uri
}

func generateStanza(rng *rand.Rand, n int, newline string) string {
	fold := pick(rng, " ", " ", "  ", "\t", newline+" ", newline+"\t", newline+"# comment"+newline+" ")
	name := func(s string) string {
		return pick(rng, s, s, s, strings.ToLower(s), strings.ToUpper(s)) + pick(rng, "", "", "", " ", "\t") + ":" + pick(rng, " ", " ", "", "\t", newline+" ", newline+"\t")
	}
	var uris strings.Builder
	uris.WriteString(generateURI(rng, Deb822, n))
	for range rng.IntN(3) {
		uris.WriteString(fold + generateURI(rng, Deb822, n))
	}
	exact := rng.IntN(6) == 0
	suites := some(rng, 1, 3, fold, "a", "b", "a-updates", "b/updates", "$(ARCH)")
	if exact {
		suites = some(rng, 1, 2, fold, "./", "/", "x/")
	}
	fields := []string{
		name("Types") + some(rng, 1, 2, fold, "deb", "deb-src"),
		name("URIs") + uris.String(),
		name("Suites") + suites,
	}
	if exact == (rng.IntN(20) == 0) {
		fields = append(fields, name("Components")+some(rng, 1, 3, fold, "main", "contrib", "non-free"))
	}
	if rng.IntN(2) == 0 {
		fields = append(fields, pick(rng,
			name("Signed-By")+"/k.gpg", name("Signed-By")+"/k.gpg"+fold+"/l.gpg", name("Trusted")+"yes", name("Architectures")+"amd64"+fold+"i386",
			name("Enabled")+pick(rng, "yes", "no", "off", "FALSE", "0", "1", "nope", ""), "X-Repolib-Name: x", "# URIs: http://h/d", name("URIs")+uris.String(),
			"Signed-By:\n"+strings.TrimSuffix(inlineKey, "\n")))
	}
	rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	text := strings.Join(fields, newline) + newline
	return text + pick(rng, "", "", "", newline, "#"+newline, " "+newline)
}

// damage changes a few bytes of a file: deletes, doubles, swaps or inserts
// bytes that mean something to apt.
func damage(rng *rand.Rand, text string) string {
	for range 1 + rng.IntN(3) {
		if text == "" {
			return text
		}
		i := rng.IntN(len(text))
		j := min(len(text), i+1+rng.IntN(6))
		switch rng.IntN(5) {
		case 0:
			text = text[:i] + text[j:]
		case 1:
			text = text[:j] + text[i:]
		default:
			bytes := "\n\n\r\t \v\f\"\"[[]]##%:://=,$-.@aA\x80\xc3"
			k := rng.IntN(len(bytes))
			text = text[:i] + bytes[k:k+1] + text[i:]
		}
	}
	return text
}
