package preset

import (
	"fmt"
	"strings"
	"time"
)

// ParseZone finds a time zone by its name in the IANA database. "Local" is none:
// it is another one on each machine.
func ParseZone(name string) (*time.Location, error) {
	if zone := loadZone(name); zone != nil {
		return zone, nil
	}
	text := fmt.Sprintf("%q is no name of the IANA time zone database", name)
	if near := nearZone(name); near != "" {
		return nil, fmt.Errorf("%s (did you mean %s?)", text, near)
	}
	return nil, fmt.Errorf("%s: write one such as Europe/Berlin, or UTC", text)
}

func loadZone(name string) *time.Location {
	if name == "" || name == "Local" || len(name) > 64 {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return zone
}

// nearZone is a zone that differs from name in case, in blanks or by its region;
// "" if there is none.
func nearZone(name string) string {
	parts := strings.Split(strings.ReplaceAll(strings.TrimSpace(name), " ", "_"), "/")
	for i, part := range parts {
		words := strings.Split(strings.ToLower(part), "_")
		for j, w := range words {
			if w != "" && w != "of" {
				words[j] = strings.ToUpper(w[:1]) + w[1:]
			}
		}
		parts[i] = strings.Join(words, "_")
	}
	title := strings.Join(parts, "/")
	candidates := []string{title, strings.ToUpper(name)}
	for _, region := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
		candidates = append(candidates, region+"/"+parts[len(parts)-1])
	}
	for _, c := range candidates {
		if loadZone(c) != nil {
			return c
		}
	}
	return ""
}
