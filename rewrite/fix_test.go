package rewrite

import "testing"

// TestFixed makes all fixes: the rest of the text stays, and so does its number
// of lines.
func TestFixed(t *testing.T) {
	for _, row := range []struct {
		name, in, want string
		n              int
	}{
		{"nothing", "FROM a\n", "FROM a\n", 0},
		{"quotes", "FROM a\nRUN pip install x>=1 \"y>=2\" z[b]<3,>=1\n", "FROM a\nRUN pip install \"x>=1\" \"y>=2\" \"z[b]<3,>=1\"\n", 2},
		{"continued", "FROM a\r\nRUN pip install \\\r\n  x>=1 \\\r\n  y\r\n", "FROM a\r\nRUN pip install \\\r\n  \"x>=1\" \\\r\n  y\r\n", 1},
		{"heredoc", "FROM a\nRUN <<E\npip install x>=1\nE\n", "FROM a\nRUN <<E\npip install \"x>=1\"\nE\n", 1},
		{"with an address", "FROM a\nRUN curl http://a.example.com/ && pip install x>=1\n", "FROM a\nRUN curl https://a.example.com/ && pip install \"x>=1\"\n", 2},
		{"the same address twice", "FROM a\nENV U=http://a.example.com/\nRUN curl $U\nRUN wget $U\n", "FROM a\nENV U=https://a.example.com/\nRUN curl $U\nRUN wget $U\n", 1},
		{"a word across lines is left", "FROM a\nRUN pip install x>\\\n=1\n", "FROM a\nRUN pip install x>\\\n=1\n", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := New([]byte(row.in), Config{})
			if err != nil {
				t.Fatal(err)
			}
			got, n := p.Fixed()
			if string(got) != row.want || n != row.n {
				t.Errorf("%d fixes, %q, want %d, %q", n, got, row.n, row.want)
			}
			again, err := New(got, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if more, n := again.Fixed(); n > 0 {
				t.Errorf("fixed again: %d, %q", n, more)
			}
		})
	}
}
