package config

import (
	"encoding/json"
	"maps"
	"strings"
)

// shape is what the JSON Schema says of one value. A section's shape stands
// beside its reader; a test holds that both know the same keys and words.
type shape map[string]any

// SchemaURL is where the schema of a project's file is published, and
// OrganisationSchemaURL that of an organisation's.
const (
	SchemaURL             = schemaFolder + "loopx.schema.json"
	OrganisationSchemaURL = schemaFolder + "loopx-organisation.schema.json"
	schemaFolder          = "https://raw.githubusercontent.com/loopx/loopx-frontend/main/docs/schema/"
)

// Schema returns the JSON Schema (draft 2020-12) of a project's file.
func Schema() ([]byte, error) { return schema(SchemaURL, "loopx.yaml of a project", ofProject) }

// OrganisationSchema returns that of an organisation's file.
func OrganisationSchema() ([]byte, error) {
	return schema(OrganisationSchemaURL, Dir+"/"+File+" of an organisation", ofOrganisation)
}

func schema(id, title string, whose place) ([]byte, error) {
	keys := map[string]shape{}
	for _, s := range sections() {
		if s.place == ofBoth || s.place == whose {
			keys[s.key] = s.shape
		}
	}
	root := object("", keys)
	root["type"] = []string{"object", "null"} // an empty file
	maps.Copy(root, shape{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": id, "title": title})
	text, err := json.MarshalIndent(root, "", "  ")
	return append(text, '\n'), err
}

// described is s with a text for people, if there is one.
func described(description string, s shape) shape {
	if description != "" {
		s["description"] = description
	}
	return s
}

// object is a mapping that has these keys and no others.
func object(description string, keys map[string]shape, required ...string) shape {
	s := shape{"type": "object", "properties": keys, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return described(description, s)
}

// mapOf is a mapping with any keys, and values of one shape.
func mapOf(description string, values shape) shape {
	return described(description, shape{"type": "object", "additionalProperties": values})
}

// listOf is a list.
func listOf(description string, items shape) shape {
	return described(description, shape{"type": "array", "items": items})
}

// text is any text.
func text(description string) shape { return described(description, shape{"type": "string"}) }

// scalar is text that YAML may take for a number, such as a version.
func scalar(description string) shape {
	return described(description, shape{"type": []string{"string", "number"}})
}

// dayShape is a date.
func dayShape(description string) shape {
	return described(description, shape{"type": "string", "pattern": `^\d{4}-\d{2}-\d{2}$`})
}

// yes is true or false.
func yes(description string) shape { return described(description, shape{"type": "boolean"}) }

// words is one of several.
func words[W ~string](description string, all ...W) shape {
	return described(description, shape{"enum": all})
}

// anyOf is one of several shapes.
func anyOf(description string, shapes ...shape) shape {
	return described(description, shape{"anyOf": shapes})
}

// ageShape is a number of days or hours.
func ageShape(description string) shape {
	return described(strings.TrimSpace(description+" Days (7, 7d) or hours (36h)."), shape{"type": []string{"string", "integer"}})
}
