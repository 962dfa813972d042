package reqfile

import "sort"

// Set is what a file and its includes declare together.
type Set struct {
	// Entries are in pip's order: an included file's stand where the include
	// does.
	Entries []Entry
	// Files are the readings, in order; a file that is included twice is
	// there twice.
	Files []File
	// Notes are what pip passes over without a word.
	Notes []Note
	// Pre says that pre-releases count for every line: a line "--pre" or
	// "--all-releases=:all:" anywhere in the set.
	Pre bool
	// PreNames are the names, as written, of "--all-releases=name". What
	// "--only-final" takes back is not taken back here.
	PreNames []string
}

// File is one reading of one file.
type File struct {
	// Path is relative to the root, with slashes.
	Path string
	// From and Line are the place of the include; "" and 0 for the first file.
	From string
	Line int
	// Constraint says that the lines constrain and install nothing.
	Constraint bool
}

// Kind says what a line asks for.
type Kind int

// The kinds. A Path or URL has no name that pip would look up on an index; a
// requirement "name @ URL" is a Requirement.
const (
	Requirement Kind = iota + 1
	Path             // a local folder or archive
	URL              // an archive or a version-control URL
	Editable         // the value of -e: a folder or a version-control URL
	Option           // options for the whole set
	NotRead          // an include by URL
)

// Entry is one logical line.
type Entry struct {
	Kind Kind
	// Constraint says that the line stands in a constraints file.
	Constraint bool
	// Text is what pip hands to its requirement parser, variables expanded;
	// for NotRead the URL, for Option "". It may hold secrets.
	Text string
	// Raw is Text before variables are expanded.
	Raw string
	// Unset are the variables in Text that had no value and so stay.
	Unset []string
	// Reason says why an include was not read; "" for other kinds.
	Reason string
	// File is relative to the root. Line and EndLine are the first and last
	// physical line, from 1, counted as pip does: form feeds and Unicode's
	// line separators break lines too.
	File          string
	Line, EndLine int
	// Hashes, GlobalOptions and ConfigSettings belong to this requirement
	// alone.
	Hashes         []Hash
	GlobalOptions  []string
	ConfigSettings []Setting
	// Options are those of a line of kind Option.
	Options []OptionValue
	start   Place
	pieces  []piece
}

// Hash is one --hash.
type Hash struct{ Algorithm, Digest string }

// Setting is one --config-settings.
type Setting struct{ Key, Value string }

// OptionValue is an option by its long name, "--index-url", and its value, ""
// for one that takes none. The value may hold secrets.
type OptionValue struct{ Name, Value string }

// NoteKind says what pip passes over.
type NoteKind int

// The kinds of notes.
const (
	// Swallowed is a physical line that became part of the comment above it,
	// because that one ends in a backslash.
	Swallowed NoteKind = iota + 1
	// IgnoredOption is an option that has no effect where it stands: a second
	// -r or -e, an option behind a requirement or beside an include.
	IgnoredOption
	// IgnoredWord is a word between options that belongs to none.
	IgnoredWord
)

// Note is one thing that pip passes over.
type Note struct {
	Kind NoteKind
	File string
	// Line is the physical line, as pip counts.
	Line int
	// Text is the swallowed line, the option's long name or the word.
	Text string
}

// Place is a point of a file.
type Place struct {
	// Offset is in bytes, from 0.
	Offset int
	// Line and Column count from 1 as an editor does, by line feeds alone, in
	// bytes; a byte order mark is no column.
	Line, Column int
}

// piece is a stretch of an entry's text that stands in the file.
type piece struct {
	at, n int
	place Place
	exact bool
}

// At says where byte i of Text stands. It is not exact where the text was
// expanded, unquoted or re-encoded: then Line and Column are near, at worst
// those of the line's start, and Offset is not to be used.
func (e *Entry) At(i int) (p Place, exact bool) {
	k := sort.Search(len(e.pieces), func(k int) bool { return e.pieces[k].at > i }) - 1
	if k < 0 {
		return e.start, false
	}
	pc := e.pieces[k]
	d := min(i-pc.at, pc.n)
	pc.place.Offset += d
	pc.place.Column += d
	return pc.place, pc.exact && i-pc.at <= pc.n
}

// Span says where Text[i:j] stands in the bytes of the file, half-open. It is
// not ok if those bytes are not one stretch that reads the same: then the text
// can't be edited in place. An empty span is the point behind byte i-1.
func (e *Entry) Span(i, j int) (start, end int, ok bool) {
	if i < 0 || j < i || j > len(e.Text) {
		return 0, 0, false
	}
	k := sort.Search(len(e.pieces), func(k int) bool {
		end := e.pieces[k].at + e.pieces[k].n
		return end > i || end == i && i == j
	})
	if k == len(e.pieces) {
		return 0, 0, false
	}
	pc := e.pieces[k]
	start = pc.place.Offset + i - pc.at
	if !pc.exact || i < pc.at || j > pc.at+pc.n {
		return 0, 0, false
	}
	return start, start + j - i, true
}
