"""Answers every request with a greeting, on port 8000."""

from http.server import BaseHTTPRequestHandler, HTTPServer


class Greeter(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"hello\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    HTTPServer(("", 8000), Greeter).serve_forever()
