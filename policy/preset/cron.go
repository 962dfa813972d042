package preset

import (
	"fmt"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"time"

	cron "github.com/netresearch/go-cron"
)

// Cron is a line of five fields: minute, hour, day of the month, month, day of
// the week. The zero value never fires.
//
// Where both fields of days are restricted, a day fits that fits one of them, as
// in every cron since Paul Vixie's; else both must fit.
type Cron struct {
	text     string
	schedule *cron.SpecSchedule
}

// field is one of the five, as a person knows it.
type field struct {
	name      string
	low, high int
}

func fields() []field {
	return []field{{"minute", 0, 59}, {"hour", 0, 23}, {"day of the month", 1, 31}, {"month", 1, 12}, {"day of the week", 0, 7}}
}

// searchYears is how far a line may be from its next date: February 29 skips
// 2100.
const searchYears = 9

// mostCron is the length of the longest line, in bytes.
const mostCron = 512

// Every engine that a line is rendered for takes this grammar; what only some
// take, or take otherwise, is no part of it.
var fieldGrammar = regexp.MustCompile(`^(\*(/\d+)?|[0-9A-Za-z]+(-[0-9A-Za-z]+(/\d+)?)?(,[0-9A-Za-z]+(-[0-9A-Za-z]+(/\d+)?)?)*)$`)

// ParseCron reads a line. The error says which field is wrong and what to write.
func ParseCron(text string) (Cron, error) {
	words := strings.Fields(text)
	switch {
	case len(text) > mostCron:
		return Cron{}, fmt.Errorf("the cron line is longer than %d bytes", mostCron)
	case strings.Contains(text, "TZ="):
		return Cron{}, fmt.Errorf("the zone does not stand in the cron line: write zone: %s beside it", zoneIn(text))
	case strings.HasPrefix(text, "@"):
		return Cron{}, fmt.Errorf("names such as %q are not read: write the five fields, such as \"0 6 * * 1\"", words[0])
	case len(words) != len(fields()):
		return Cron{}, fmt.Errorf("a cron line has five fields (minute, hour, day of the month, month, day of the week), and this has %d: write one such as \"0 6 * * 1\"", len(words))
	}
	for i, f := range fields() {
		if err := f.check(i, words[i]); err != nil {
			return Cron{}, err
		}
	}
	if err := ambiguous(words[2], words[4]); err != nil {
		return Cron{}, err
	}
	schedule, err := parseFields(words)
	if err != nil {
		return Cron{}, err
	}
	c := Cron{strings.Join(words, " "), schedule}
	if c.schedule.Next(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Cron{}, fmt.Errorf("no day fits: the month has no such day of the month")
	}
	return c, nil
}

// zoneIn is the zone of "CRON_TZ=Europe/Berlin 0 6 * * 1", or an example.
func zoneIn(text string) string {
	_, rest, _ := strings.Cut(text, "TZ=")
	name, _, _ := strings.Cut(rest, " ")
	if _, err := ParseZone(name); err != nil {
		return "Europe/Berlin"
	}
	return name
}

// check parses one field alone, so that the error can name it.
func (f field) check(i int, word string) error {
	alone := []string{"*", "*", "*", "*", "*"}
	alone[i] = word
	wrong := ""
	switch {
	case strings.HasPrefix(word, "/") || singleStep.MatchString(word):
		wrong = fmt.Sprintf("a step needs a range: write %s", f.stepped(word))
	case !fieldGrammar.MatchString(word):
		wrong = "write *, a number, a range such as 1-5, a step such as */2, or several with commas"
	default:
		_, err := parseFields(alone)
		if err == nil {
			return nil
		}
		wrong = fmt.Sprintf("%v; it goes from %d to %d", err, f.low, f.high)
	}
	return fmt.Errorf("the %s %q cannot be used: %s", f.name, word, wrong)
}

var singleStep = regexp.MustCompile(`(^|,)[0-9]+/\d+`)

// stepped is how "5/15" is written so that all engines read the same.
func (f field) stepped(word string) string {
	from, step, _ := strings.Cut(word, "/")
	if _, err := strconv.Atoi(from); err != nil {
		from = strconv.Itoa(f.low)
	}
	return fmt.Sprintf("%s-%d/%s", from, f.high, step)
}

// ambiguous refuses a step over all days beside a restricted field of days: for
// Paul Vixie's cron such a field counts as *, for others it does not.
func ambiguous(dom, dow string) error {
	for _, pair := range [][2]string{{dom, dow}, {dow, dom}} {
		if strings.HasPrefix(pair[0], "*/") && pair[1] != "*" {
			return fmt.Errorf("%q beside %q in the fields of days means one thing to some crons and another to others: write the days out, such as 1-31/2", pair[0], pair[1])
		}
	}
	return nil
}

// parseFields parses five words, as times of UTC.
func parseFields(words []string) (*cron.SpecSchedule, error) {
	parser, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.WithMaxSearchYears(searchYears).Parse("TZ=UTC " + strings.Join(words, " "))
	if err != nil {
		return nil, err
	}
	schedule, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("this is no line of five fields")
	}
	return schedule, nil
}

// String is the line as it was read, with single blanks.
func (c Cron) String() string { return c.text }

// everyBit is set by the parser for a field that is "*".
const everyBit = 1 << 63

// Values are the values of the five fields, sorted; nil is any. Sunday is 0.
func (c Cron) Values() [5][]int {
	s := c.schedule
	var all [5][]int
	for i, set := range [5]uint64{s.Minute, s.Hour, s.Dom, s.Month, s.Dow} {
		if set&everyBit != 0 {
			continue
		}
		for set != 0 {
			n := bits.TrailingZeros64(set)
			all[i] = append(all[i], n)
			set &^= 1 << n
		}
	}
	return all
}

// Portable is the line in words that mean the same to every cron: numbers and
// commas.
func (c Cron) Portable() string {
	words := make([]string, 0, 5)
	for _, values := range c.Values() {
		words = append(words, list(values, strconv.Itoa))
	}
	return strings.Join(words, " ")
}

// list joins values by commas; none is "*".
func list(values []int, word func(int) string) string {
	if len(values) == 0 {
		return "*"
	}
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = word(v)
	}
	return strings.Join(words, ",")
}
