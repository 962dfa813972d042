// Package setupcfg reads the requirements that a setup.cfg declares for
// setuptools: install_requires, setup_requires, tests_require, extras_require
// and python_requires, each with its place in the file.
//
// The file is read as Python's configparser does with setuptools' settings,
// the lists as setuptools does (setuptools/config/setupcfg.py and _reqs.py).
// It is pure: a value "file: …" is reported, and read by the caller.
package setupcfg

import (
	"strconv"
	"strings"
)

// Keys of Item and FileRef.
const (
	InstallRequires = "install_requires"
	SetupRequires   = "setup_requires"
	TestsRequire    = "tests_require"
	ExtrasRequire   = "extras_require"
	PythonRequires  = "python_requires"
)

// Item is one requirement.
type Item struct {
	Key string
	// Extra is the name of the extra, for ExtrasRequire.
	Extra string
	// Text is handed to the requirement parser.
	Text string
	// Line counts from 1. Start and End are the text's bytes in the file if
	// Exact; else the text was put together from several places, and Line is
	// that of the option.
	Line, Start, End int
	Exact            bool
}

// FileRef is a file that holds the requirements of a key: one path of a value
// "file: a.txt, b.txt", relative to the folder of setup.cfg.
type FileRef struct {
	Key, Extra, Path string
	Line             int
}

// Config is what a setup.cfg declares.
type Config struct {
	// Items are in the order of the file; python_requires is one, its Text a
	// list of specifiers.
	Items []Item
	Files []FileRef
}

// Error is where the file is broken.
type Error struct {
	// Line counts from 1.
	Line int
	// Msg is one line and holds nothing of the file.
	Msg string
}

// Error gives "line N: message".
func (e *Error) Error() string { return "line " + strconv.Itoa(e.Line) + ": " + e.Msg }

// Parse reads a setup.cfg. The error is an *Error: what configparser refuses
// anywhere in the file, and what it refuses to expand in the options that are
// read here.
func Parse(src []byte) (Config, error) {
	doc, err := parseINI(src)
	if err != nil {
		return Config{}, err
	}
	var c Config
	for _, s := range doc.sections {
		if err := c.section(doc, s); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// section takes in [options] and [options.extras_require]; setuptools strips
// any number of dots behind "options".
func (c *Config) section(doc *document, s *section) error {
	rest, ok := strings.CutPrefix(s.name, "options")
	if !ok {
		return nil
	}
	rest = strings.TrimLeft(rest, ".")
	for _, o := range doc.options(s) {
		key, extra := strings.ReplaceAll(o.name, "-", "_"), ""
		switch rest {
		case "":
			if key == ExtrasRequire && o.raw() != "" {
				return &Error{o.line, "extras_require is a section of its own, [options.extras_require]"}
			}
		case ExtrasRequire:
			key, extra = ExtrasRequire, o.name
		default:
			return nil
		}
		if err := c.option(doc, s, o, key, extra); err != nil {
			return err
		}
	}
	return nil
}

// option takes in one key, if it is one of ours.
func (c *Config) option(doc *document, s *section, o *option, key, extra string) error {
	switch key {
	case InstallRequires, SetupRequires, TestsRequire, ExtrasRequire, PythonRequires:
	default:
		return nil
	}
	lines, err := doc.expand(s, o)
	if err != nil {
		return err
	}
	value := text(lines)
	spec, isFile := strings.CutPrefix(value, "file:")
	switch {
	case key == PythonRequires:
		c.Items = append(c.Items, pythonRequires(lines, value, o.line)...)
	case isFile && (key == InstallRequires || key == ExtrasRequire):
		for path := range strings.SplitSeq(spec, ",") {
			c.Files = append(c.Files, FileRef{key, extra, strings.TrimFunc(path, isSpace), o.line})
		}
	default:
		for _, it := range listItems(lines, true) {
			it.Key, it.Extra = key, extra
			c.Items = append(c.Items, it)
		}
	}
	return nil
}

// pythonRequires gives the specifiers, none if the value is empty. They are
// exact if they stand on one line.
func pythonRequires(lines []line, value string, at int) []Item {
	value = strings.TrimFunc(value, isSpace)
	if value == "" {
		return nil
	}
	for _, l := range lines {
		if l.text == value && l.from >= 0 {
			return []Item{{Key: PythonRequires, Text: value, Line: l.number, Start: l.from, End: l.from + len(value), Exact: true}}
		}
	}
	return []Item{{Key: PythonRequires, Text: value, Line: at}}
}
