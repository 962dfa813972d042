package sarif

import "encoding/json"

// Version is the one of the format that is read and written.
const Version = "2.1.0"

// The types below are the parts of SARIF 2.1.0 (OASIS Standard, 27 March 2020)
// that this project uses; section numbers are those of the standard. What may
// be absent with a meaning of its own is a pointer.
type (
	// Tool is what made a run (3.18).
	Tool struct {
		Driver     Component   `json:"driver"`
		Extensions []Component `json:"extensions,omitempty"`
	}
	// Component is a program or a plugin of it (3.19).
	Component struct {
		Name            string `json:"name"`
		Version         string `json:"version,omitempty"`
		SemanticVersion string `json:"semanticVersion,omitempty"`
		InformationURI  string `json:"informationUri,omitempty"`
		Rules           []Rule `json:"rules,omitempty"`
	}
	// Rule is a reportingDescriptor (3.49).
	Rule struct {
		ID               string             `json:"id"`
		Name             string             `json:"name,omitempty"`
		ShortDescription *Message           `json:"shortDescription,omitempty"`
		FullDescription  *Message           `json:"fullDescription,omitempty"`
		Help             *Message           `json:"help,omitempty"`
		HelpURI          string             `json:"helpUri,omitempty"`
		MessageStrings   map[string]Message `json:"messageStrings,omitempty"`
		Configuration    *Configuration     `json:"defaultConfiguration,omitempty"`
		Relationships    []Relationship     `json:"relationships,omitempty"`
		Properties       *Properties        `json:"properties,omitempty"`
	}
	// Configuration is a reportingConfiguration (3.50).
	Configuration struct {
		Level string `json:"level,omitempty"`
	}
	// Relationship leads to an entry of a taxonomy (3.53).
	Relationship struct {
		Target RuleReference `json:"target"`
	}
	// RuleReference is a reportingDescriptorReference (3.52).
	RuleReference struct {
		ID        string              `json:"id,omitempty"`
		Index     *int                `json:"index,omitempty"`
		Component *ComponentReference `json:"toolComponent,omitempty"`
	}
	// ComponentReference names a component (3.54).
	ComponentReference struct {
		Name  string `json:"name,omitempty"`
		Index *int   `json:"index,omitempty"`
	}
	// Message is a message (3.11) or a multiformatMessageString (3.12).
	Message struct {
		Text      string   `json:"text,omitempty"`
		Markdown  string   `json:"markdown,omitempty"`
		ID        string   `json:"id,omitempty"`
		Arguments []string `json:"arguments,omitempty"`
	}
	// Properties are the entries of a property bag (3.8) that tools agree on.
	Properties struct {
		Tags Words `json:"tags,omitempty"`
		// SecuritySeverity is GitHub's: a number from 0.0 to 10.0, as a
		// string; some tools write a number.
		SecuritySeverity json.RawMessage `json:"security-severity,omitempty"`
		CWE              json.RawMessage `json:"cwe,omitempty"`
		// Sensitive is [policy.SensitiveTag] as a property of its own.
		Sensitive json.RawMessage `json:"private_or_security_sensitive,omitempty"`
	}
	// Result is one finding (3.27).
	Result struct {
		RuleID              string            `json:"ruleId,omitempty"`
		RuleIndex           *int              `json:"ruleIndex,omitempty"`
		Rule                *RuleReference    `json:"rule,omitempty"`
		Kind                string            `json:"kind,omitempty"`
		Level               string            `json:"level,omitempty"`
		Message             Message           `json:"message"`
		Locations           []Location        `json:"locations,omitempty"`
		Taxa                []RuleReference   `json:"taxa,omitempty"`
		Fingerprints        map[string]string `json:"fingerprints,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
		BaselineState       string            `json:"baselineState,omitempty"`
		Suppressions        []Suppression     `json:"suppressions,omitempty"`
		Properties          *Properties       `json:"properties,omitempty"`
	}
	// Location is a place (3.28).
	Location struct {
		Physical *PhysicalLocation `json:"physicalLocation,omitempty"`
	}
	// PhysicalLocation is a file and a region in it (3.29).
	PhysicalLocation struct {
		Artifact ArtifactLocation `json:"artifactLocation"`
		Region   *Region          `json:"region,omitempty"`
	}
	// ArtifactLocation names a file (3.4).
	ArtifactLocation struct {
		URI       string `json:"uri,omitempty"`
		URIBaseID string `json:"uriBaseId,omitempty"`
		Index     *int   `json:"index,omitempty"`
	}
	// Region is a part of a file (3.30). Lines and columns count from 1.
	Region struct {
		StartLine   int      `json:"startLine,omitempty"`
		StartColumn int      `json:"startColumn,omitempty"`
		EndLine     int      `json:"endLine,omitempty"`
		EndColumn   int      `json:"endColumn,omitempty"`
		Snippet     *Message `json:"snippet,omitempty"`
	}
	// Suppression says that somebody does not want to see a result (3.35).
	Suppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status,omitempty"`
		Justification string `json:"justification,omitempty"`
	}
	// Invocation tells how the tool's run went (3.20).
	Invocation struct {
		ExecutionSuccessful        *bool          `json:"executionSuccessful"`
		ToolExecutionNotifications []Notification `json:"toolExecutionNotifications,omitempty"`
		ConfigurationNotifications []Notification `json:"toolConfigurationNotifications,omitempty"`
	}
	// Notification is what the tool says about its own run (3.58).
	Notification struct {
		Level   string  `json:"level,omitempty"`
		Message Message `json:"message"`
	}
	// Artifact is a file that the run is about (3.24).
	Artifact struct {
		Location *ArtifactLocation `json:"location,omitempty"`
	}
)

// Words is a list of strings in a property bag, where a tool may write
// anything: a single string is a list of one, what is no string is left out.
type Words []string

// UnmarshalJSON takes any value.
func (w *Words) UnmarshalJSON(raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	*w = nil
	if word, ok := v.(string); ok {
		*w = Words{word}
	}
	list, _ := v.([]any)
	for _, item := range list {
		if word, ok := item.(string); ok {
			*w = append(*w, word)
		}
	}
	return nil
}
