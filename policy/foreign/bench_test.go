package foreign

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// large returns a SARIF log of about n bytes, as a scanner writes it: indented,
// results in front of the rules, each with a place, a snippet and fingerprints.
func large(n int) []byte {
	var b bytes.Buffer
	b.WriteString("{\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n      \"results\": [")
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `
        {
          "ruleId": "rule-%d",
          "level": "warning",
          "message": {
            "text": "The value of setting %d is read from the environment and passed on as it is; see http://user:word@example.com/%d"
          },
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/part%d/file%d.go",
                  "uriBaseId": "%%SRCROOT%%"
                },
                "region": {
                  "startLine": %d,
                  "startColumn": 3,
                  "endLine": %d,
                  "endColumn": 40,
                  "snippet": {
                    "text": "  value := os.Getenv(\"SETTING_%d\")"
                  }
                }
              }
            }
          ],
          "partialFingerprints": {
            "primaryLocationLineHash": "%016x:1"
          },
          "properties": {}
        }`, i%200, i, i, i%50, i%900, i+1, i+1, i, i)
	}
	b.WriteString("\n      ],\n      \"tool\": {\"driver\": {\"name\": \"Scanner\", \"rules\": [")
	for i := range 200 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id": "rule-%d", "shortDescription": {"text": "Rule %d"}, "help": {"text": "%s"}, "properties": {"tags": ["maintainability"]}}`, i, i, strings.Repeat("word ", 200))
	}
	b.WriteString("]}}\n    }\n  ]\n}\n")
	return b.Bytes()
}

// BenchmarkSARIF reads 50 MB. heap-MB is what is still in use at the end: the
// findings.
func BenchmarkSARIF(b *testing.B) {
	text := large(50_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		in, err := Read(io.NopCloser(bytes.NewReader(text)))
		if err != nil {
			b.Fatal(err)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6-float64(len(text))/1e6, "heap-MB")
		b.ReportMetric(float64(len(in.Findings)), "findings")
	}
}
