package pep440

// The versions made here from others have the normal form as their original
// text.

// Public returns v without its local label.
func (v Version) Public() Version {
	if v.shape&hasLocal == 0 {
		return v
	}
	return Version{key: v.public(), zeros: v.zeros, shape: v.shape &^ hasLocal}
}

// public returns the key of v without its local label.
func (v Version) public() string {
	if v.shape&hasLocal == 0 {
		return v.key
	}
	return v.key[:v.layout().local]
}

// Base returns the epoch and the release of v: 1.2 for 1.2rc1.post3+local.
func (v Version) Base() Version {
	if v.shape == 0 {
		return v
	}
	return Version{key: v.key[:v.layout().pre] + tail(tagFinal, tagNoPost, tagNoDev), zeros: v.zeros}
}

func tail(tags ...byte) string { return string(tags) }

// Bump returns the release of v cut or filled with zeros to the given number
// of parts, at least one, and the last of them raised by one: 1.2.3 bumped at
// 2 parts is 1.3.
func (v Version) Bump(parts int) Version {
	if v.key == "" || parts < 1 {
		return Version{}
	}
	return Version{key: v.bumped(parts) + tail(tagFinal, tagNoPost, tagNoDev)}
}

// bump0 returns the first development release of Bump(parts).
func (v Version) bump0(parts int) Version {
	return Version{key: v.bumped(parts) + tail(tagDevOnly, tagNoPost, tagDev, firstInt), shape: hasDev}
}

// bumped returns the key of Bump(parts) up to the end of the release.
func (v Version) bumped(parts int) string {
	l := v.layout()
	i := l.release
	for ; parts > 1 && i < l.pre-1; parts-- {
		i += intSize(v.key[i:])
	}
	var space [48]byte
	key := append(space[:0], v.key[:i]...)
	for ; parts > 1; parts-- {
		key = append(key, firstInt)
	}
	if i < l.pre-1 {
		key = appendNext(key, v.key[i:])
	} else {
		key = append(key, firstInt+1)
	}
	return string(append(key, tagEnd))
}

// lowered returns the release before the family of v: its last part that is
// not zero is lowered by one, and what follows is cut. There is none before 0
// and other releases of zeros.
func (v Version) lowered() (Version, bool) {
	l := v.layout()
	i := l.release
	if i == l.pre-1 {
		return Version{}, false
	}
	for i+intSize(v.key[i:]) < l.pre-1 {
		i += intSize(v.key[i:])
	}
	low, zeros := v.key[:i], 0
	if v.key[i] == firstInt+1 {
		zeros = 1
	} else {
		low = string(appendPrior([]byte(low), v.key[i:]))
	}
	for ; zeros > 0 && len(low) > l.release && low[len(low)-1] == firstInt; zeros++ {
		low = low[:len(low)-1]
	}
	return Version{key: low + tail(tagEnd, tagFinal, tagNoPost, tagNoDev), zeros: zeros}, true
}

// parts counts the parts of the release, zeros at the end included.
func (v Version) parts() int {
	if v.key == "" {
		return 0
	}
	l := v.layout()
	n := v.zeros
	for i := l.release; i < l.pre-1; n++ {
		i += intSize(v.key[i:])
	}
	return n
}

// dev0 returns the first development release of v, which is a final release
// or a post-release: the least version that <V shuts out.
func (v Version) dev0() Version {
	l := v.layout()
	key := v.key[:l.pre] + tail(tagDevOnly, tagNoPost, tagDev, firstInt)
	if v.IsPost() {
		key = v.key[:l.dev] + tail(tagDev, firstInt)
	}
	return Version{key: key, zeros: v.zeros, shape: v.shape&^hasLocal | hasDev}
}

// leastFinal returns the least version at or above v that is no pre-release:
// 1.0 for 1.0rc1.post2, 1.0.post1 for 1.0.post1.dev0.
func (v Version) leastFinal() Version {
	switch {
	case !v.IsPre():
		return v
	case v.IsPost() && v.shape&hasPre == 0:
		return v.notDev()
	}
	return v.Base()
}

// notDev returns v without its development release and label, where v has no
// pre-release.
func (v Version) notDev() Version {
	if !v.IsPost() {
		return v.Base()
	}
	l := v.layout()
	return Version{key: v.key[:l.dev] + tail(tagNoDev), zeros: v.zeros, shape: hasPost}
}

// notPost returns v without its post-release, development release and label.
func (v Version) notPost() Version {
	if v.shape&hasPre == 0 {
		return v.Base()
	}
	l := v.layout()
	return Version{key: v.key[:l.post] + tail(tagNoPost, tagNoDev), zeros: v.zeros, shape: hasPre}
}
