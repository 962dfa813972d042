package checks

var addNotVerified = Rule{
	Name: "AddNotVerified", Severity: advisory, Class: validation,
	Description: "An ADD fetches over TLS and has no --checksum.",
	Why: "TLS says which server sent the file, not that it is the one which the last build used; and a redirect may lead BuildKit back to http. " +
		"Add --checksum with the sum that the publisher names.",
	Bad: "FROM debian:bookworm-slim\nADD https://downloads.example.com/tool.tar.gz /opt/\n",
	Good: "FROM debian:bookworm-slim\n" +
		"ADD --checksum=sha256:24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d https://downloads.example.com/tool.tar.gz /opt/\n",

	add: func(s Source) []Finding {
		if s.Pinned {
			return nil
		}
		return []Finding{found(s.At, "add --checksum=sha256:…: nothing checks what this address serves when the image is built again")}
	},
}
