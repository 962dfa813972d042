package pep440

// Edge says where a bound lies beside its version. Between versions there are
// points that no version has:
//
//	V < Just(V) < V+local < PastLocals(V) < V.post0 < PastPosts(V) < V.0.1
//
// The model is that of packaging's version ranges.
type Edge uint8

const (
	// Before is the point right before the version.
	Before Edge = iota
	// Just is the point right after the version itself, and before the local
	// versions that follow it.
	Just
	// PastLocals is the point after the version with any local label.
	PastLocals
	// PastPosts is the point after the version and all its post-releases.
	PastPosts
)

// Bound is a point between versions. The zero value is no bound: the interval
// goes on for ever on that side.
type Bound struct {
	Version Version
	// key is the least version above the point where there is one, so that
	// points between the same two versions are equal.
	key  string
	Edge Edge
}

// Unbounded says whether b is no bound.
func (b Bound) Unbounded() bool { return b.key == "" }

// leastKey is the key of 0.dev0, the least version there is, and
// leastFinalKey that of 0, the least that is no pre-release.
const (
	leastKey      = "\x10\x01\x02\x02\x02\x10"
	leastFinalKey = "\x10\x01\x06\x02\x03"
)

// At returns the point at an edge of v, and no bound if v is zero. Local labels
// don't count for PastLocals; post-releases, development releases and labels
// don't count for PastPosts.
func At(v Version, edge Edge) Bound {
	switch {
	case v.IsZero():
		return Bound{}
	case edge == Just:
		return Bound{Version: v, Edge: Just, key: v.key + string([]byte{tagJust})}
	case edge == PastLocals:
		return pastLocals(v.Public())
	case edge == PastPosts:
		return pastPosts(v.notPost())
	}
	return before(v)
}

func before(v Version) Bound { return Bound{Version: v, Edge: Before, key: v.key} }

// pastLocals returns the point after v, which has no label, and its local
// versions. The version that follows is the next development release of v, or
// the first one of the next post-release.
func pastLocals(v Version) Bound {
	l := v.layout()
	var space [48]byte
	key := space[:0]
	switch {
	case v.IsDev():
		key = appendNext(append(key, v.key[:l.dev+1]...), v.key[l.dev+1:])
	case v.IsPost():
		key = appendNext(append(key, v.key[:l.post+1]...), v.key[l.post+1:])
		key = append(key, tagDev, firstInt)
	default:
		key = append(append(key, v.key[:l.post]...), tagPost, firstInt, tagDev, firstInt)
	}
	return Bound{Version: v, Edge: PastLocals, key: string(key)}
}

// pastPosts returns the point after v, which has a release and a pre-release
// part at most, and its post-releases. After a pre-release follows the first
// development release of the next one. After a final release there is no next
// version: 1.0.0.1 is before 1.0.1, and 1.0.0.0.1 is before both.
func pastPosts(v Version) Bound {
	l := v.layout()
	var space [48]byte
	key := append(space[:0], v.key[:l.pre+1]...)
	if v.IsPre() {
		key = append(appendNext(key, v.key[l.pre+1:]), tagNoPost, tagDev, firstInt)
	} else {
		key = append(key, tagPastPosts)
	}
	return Bound{Version: v, Edge: PastPosts, key: string(key)}
}

// least returns the least version above b. There is none behind a local
// version or the post-releases of a final release, where others always come
// closer, and it is not looked for where b is unbounded.
func (b Bound) least() (Version, bool) {
	v := b.Version
	switch {
	case b.Unbounded() || b.Edge == Just || b.Edge == PastPosts && !v.IsPre():
		return Version{}, false
	case b.Edge == PastLocals && !v.IsDev():
		return Version{key: b.key, zeros: v.zeros, shape: v.shape | hasPost | hasDev}, true
	case b.Edge == PastLocals || b.Edge == PastPosts:
		return Version{key: b.key, zeros: v.zeros, shape: v.shape | hasDev}, true
	}
	return v, true
}

// lowerText returns b as the lower end of an interval for people.
func (b Bound) lowerText() string {
	switch {
	case b.Unbounded():
		return "(-∞"
	case b.Edge == Before:
		return "[" + cut(b.Version.String())
	}
	return "(" + b.last()
}

// upperText returns b as the upper end of an interval for people.
func (b Bound) upperText() string {
	switch {
	case b.Unbounded():
		return "∞)"
	case b.Edge == Before:
		return cut(b.Version.String()) + ")"
	}
	return b.last() + "]"
}

// last names the last of the versions below b.
func (b Bound) last() string {
	if b.Edge == PastPosts {
		return cut(b.Version.String()) + ".post*"
	}
	return cut(b.Version.String())
}
