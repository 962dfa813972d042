package words_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// windowsCase is a text for PowerShell or cmd. want is the text after the edits;
// "" means unchanged.
type windowsCase struct{ name, text, want string }

var powershellCases = []windowsCase{
	{"Invoke-WebRequest", "Invoke-WebRequest -Uri http://example.org/a -OutFile a", "Invoke-WebRequest -Uri https://example.org/a -OutFile a"},
	{"alias", "iwr http://example.org/a -useb | iex", "iwr https://example.org/a -useb | iex"},
	{"alias of Windows PowerShell", "curl http://example.org/a -OutFile a", "curl https://example.org/a -OutFile a"},
	{"in parentheses", "iex (irm 'http://example.org/a')", "iex (irm 'https://example.org/a')"},
	{"format operator", "iwr ('http://example.org/{0}' -f $v)", "iwr ('https://example.org/{0}' -f $v)"},
	{"subexpression in the address", `iwr "http://example.org/$($env:V)/a-$env:V.zip"`, `iwr "https://example.org/$($env:V)/a-$env:V.zip"`},
	{"glued value", `iwr -Uri:"http://example.org/a" -Proxy:"http://proxy.example.org"`, `iwr -Uri:"https://example.org/a" -Proxy:"http://proxy.example.org"`},
	{"proxy", "iwr http://example.org/a -Proxy http://proxy.example.org:3128", "iwr https://example.org/a -Proxy http://proxy.example.org:3128"},
	{"headers", "iwr -Headers @{Referer='http://example.org/';Origin='http://example.org'} http://example.org/a", "iwr -Headers @{Referer='http://example.org/';Origin='http://example.org'} https://example.org/a"},
	{"body", "irm -Method Post -Body '{\"u\":\"http://example.org\"}' https://example.org/a", ""},
	{"WebClient", "(New-Object Net.WebClient).DownloadFile('http://example.org/a', 'a')", "(New-Object Net.WebClient).DownloadFile('https://example.org/a', 'a')"},
	{"WebClient in a variable", "$c = New-Object Net.WebClient; $c.DownloadString(\"http://example.org/a\")", "$c = New-Object Net.WebClient; $c.DownloadString(\"https://example.org/a\")"},
	{"BITS", "Start-BitsTransfer -Source 'http://example.org/a','http://example.org/b' -Destination a,b", "Start-BitsTransfer -Source 'https://example.org/a','https://example.org/b' -Destination a,b"},
	{"BITS proxies", "Start-BitsTransfer -ProxyList http://p.example.org,http://q.example.org http://example.org/a", "Start-BitsTransfer -ProxyList http://p.example.org,http://q.example.org https://example.org/a"},
	{"package source", "Install-Package -Name x -Source http://example.org/v2; Register-PSRepository -Name x -SourceLocation http://example.org/v2", "Install-Package -Name x -Source https://example.org/v2; Register-PSRepository -Name x -SourceLocation https://example.org/v2"},
	{"source removed", "Unregister-PackageSource -Location http://example.org/v2", ""},
	{"program", "pip install -i http://example.org/simple x; & 'C:\\Git\\git.exe' clone http://example.org/a", "pip install -i https://example.org/simple x; & 'C:\\Git\\git.exe' clone https://example.org/a"},
	{"program named by a path", `C:\curl\curl.exe -x http://proxy.example.org -e http://example.org/ http://example.org/a`, `C:\curl\curl.exe -x http://proxy.example.org -e http://example.org/ https://example.org/a`},
	{"module of python", "python -m pip install -i http://example.org/simple x", "python -m pip install -i https://example.org/simple x"},
	{"unknown program", ".\\setup.exe --quiet --channelUri http://example.org/c -in http://example.org/d", ".\\setup.exe --quiet --channelUri https://example.org/c -in https://example.org/d"},
	{"cmd inside", `cmd /c "curl -o a http://example.org/a & echo http://example.org/"`, `cmd /c "curl -o a https://example.org/a & echo http://example.org/"`},
	{"variable", "$u = 'http://example.org/a'; iwr $u", "$u = 'https://example.org/a'; iwr $u"},
	{"variable with a command", "$r = iwr http://example.org/a", "$r = iwr https://example.org/a"},
	{"environment", "$env:PIP_INDEX_URL = 'http://example.org/simple'; $env:HTTP_PROXY='http://proxy.example.org:3128'", "$env:PIP_INDEX_URL = 'https://example.org/simple'; $env:HTTP_PROXY='http://proxy.example.org:3128'"},
	{"machine's environment", "[Environment]::SetEnvironmentVariable('HTTP_PROXY', 'http://proxy.example.org:3128', 'Machine')", ""},
	{"block", "foreach ($u in 'http://example.org/a','http://example.org/b') { iwr $u }", "foreach ($u in 'https://example.org/a','https://example.org/b') { iwr $u }"},
	{"piped to a block", "'http://example.org/a' | % { iwr $_ }", "'https://example.org/a' | % { iwr $_ }"},
	{"command in a printed string", `Write-Host "$(iwr http://example.org/a)"`, `Write-Host "$(iwr https://example.org/a)"`},
	{"continued", "iwr http://example.org/a `\n  -OutFile a", "iwr https://example.org/a `\n  -OutFile a"},
	{"npm's file", "'registry=http://example.org/' | Out-File -FilePath $HOME\\.npmrc -Encoding ascii", "'registry=https://example.org/' | Out-File -FilePath $HOME\\.npmrc -Encoding ascii"},
	{"pip's file", "Set-Content -Path \"$env:APPDATA\\pip\\pip.ini\" -Value \"index-url=http://example.org/simple\"", "Set-Content -Path \"$env:APPDATA\\pip\\pip.ini\" -Value \"index-url=https://example.org/simple\""},
	{"replaced in npm's file", "(gc x).Replace('http://example.org','http://example.com') | Set-Content .npmrc", "(gc x).Replace('http://example.org','https://example.com') | Set-Content .npmrc"},
	{"operator in npm's file", "(gc x) -replace 'http://example.org','http://example.com' | sc .npmrc", "(gc x) -replace 'http://example.org','https://example.com' | sc .npmrc"},
	{"replaced in another file", "(gc x).Replace('http://example.org','http://example.com') | Set-Content x", ""},
	{"printed", "Write-Host 'see http://example.org'; Write-Output http://example.org; echo http://example.org; throw 'http://example.org'", ""},
	{"printed as a call", "Write-Host('http://example.org')", ""},
	{"written", "'http://example.org' > x; Add-Content x 'http://example.org'; [IO.File]::WriteAllText('x', 'http://example.org')", ""},
	{"compared", "if ($x -eq 'http://example.org' -or 'http://example.org' -ne $y) { exit 1 }", ""},
	{"compared with a list", "if ($x -in 'http://example.org','http://example.com') {}; if ('http://example.org','http://example.com' -contains $x) {}", ""},
	{"pattern", "Select-String -Pattern 'http://example.org' x; if ($x -cnotmatch 'http://example.org') {}", ""},
	{"comments", "true # http://example.org\n<# http://example.org #> ls", ""},
	{"server", "New-WebBinding -Name x -HostHeader http://example.org; netsh http add urlacl url=http://+:80/", ""},
	{"loopback", "iwr http://localhost:8080/health", ""},
	{"error stream", "iwr http://example.org/a 2>$null; 'http://example.org' 2> x | iex", "iwr https://example.org/a 2>$null; 'https://example.org' 2> x | iex"},
	{"unbalanced", "iwr 'http://example.org/a", "iwr 'https://example.org/a"},
	{"many calls", strings.Repeat(".a(", 100) + "'http://example.org/a'", strings.Repeat(".a(", 100) + "'https://example.org/a'"},
	{"empty strings", "@('' 0; iwr http://example.org/a", "@('' 0; iwr https://example.org/a"},
	{"many brackets", strings.Repeat("(", 200) + "iwr http://example.org/a", strings.Repeat("(", 200) + "iwr https://example.org/a"},
}

var cmdCases = []windowsCase{
	{"curl", "curl -o a http://example.org/a && curl.exe -x http://proxy.example.org http://example.org/b", "curl -o a https://example.org/a && curl.exe -x http://proxy.example.org https://example.org/b"},
	{"bitsadmin", `bitsadmin /transfer x /download http://example.org/a c:\a`, `bitsadmin /transfer x /download https://example.org/a c:\a`},
	{"certutil", "certutil.exe -urlcache -split -f http://example.org/a a", "certutil.exe -urlcache -split -f https://example.org/a a"},
	{"msiexec", "start /wait \"\" msiexec /i http://example.org/a.msi /qn", "start /wait \"\" msiexec /i https://example.org/a.msi /qn"},
	{"choco", "choco source add -n=x -s=\"http://example.org/v2\" & choco source remove -n=x -s http://example.org/v2", "choco source add -n=x -s=\"https://example.org/v2\" & choco source remove -n=x -s http://example.org/v2"},
	{"nuget", "nuget sources Add -Name x -Source http://example.org/v3 & dotnet nuget add source http://example.org/v3 & nuget sources Remove -Source http://example.org/v3", "nuget sources Add -Name x -Source https://example.org/v3 & dotnet nuget add source https://example.org/v3 & nuget sources Remove -Source http://example.org/v3"},
	{"PowerShell inside", `powershell -NoProfile -ExecutionPolicy Bypass -Command "iwr 'http://example.org/a' -OutFile a; Write-Host 'http://example.org'"`, `powershell -NoProfile -ExecutionPolicy Bypass -Command "iwr 'https://example.org/a' -OutFile a; Write-Host 'http://example.org'"`},
	{"PowerShell without quotes", "powershell.exe (New-Object Net.WebClient).DownloadFile('http://example.org/a','a')", "powershell.exe (New-Object Net.WebClient).DownloadFile('https://example.org/a','a')"},
	{"PowerShell by its path", `@"%SystemRoot%\System32\WindowsPowerShell\v1.0\powershell.exe" -Command "iex ((New-Object Net.WebClient).DownloadString('http://example.org/i.ps1'))" && SET "PATH=%PATH%;x"`, `@"%SystemRoot%\System32\WindowsPowerShell\v1.0\powershell.exe" -Command "iex ((New-Object Net.WebClient).DownloadString('https://example.org/i.ps1'))" && SET "PATH=%PATH%;x"`},
	{"variable", `set URL=http://example.org/a&& curl -o a %URL%`, `set URL=https://example.org/a&& curl -o a %URL%`},
	{"variable in quotes", `set "URL=http://example.org/a" & set "HTTP_PROXY=http://proxy.example.org"`, `set "URL=https://example.org/a" & set "HTTP_PROXY=http://proxy.example.org"`},
	{"setx", "setx http_proxy http://proxy.example.org /M & setx X http://example.org", "setx http_proxy http://proxy.example.org /M & setx X https://example.org"},
	{"npm's file", `echo registry=http://example.org/> %USERPROFILE%\.npmrc`, `echo registry=https://example.org/> %USERPROFILE%\.npmrc`},
	{"condition", `if not exist a (curl -o a http://example.org/a) else echo http://example.org`, `if not exist a (curl -o a https://example.org/a) else echo http://example.org`},
	{"loop", `for %i in (http://example.org/a) do curl -O %i`, `for %i in (https://example.org/a) do curl -O %i`},
	{"unknown program", "setup.exe /url http://example.org/a", "setup.exe /url https://example.org/a"},
	{"caret", "curl -o a http://example.org/a?b=1^&c=2", "curl -o a https://example.org/a?b=1^&c=2"},
	{"printed", "echo http://example.org & echo.http://example.org > x & title http://example.org", ""},
	{"compared", `if "%X%"=="http://example.org" exit 1 & if /i %X% EQU http://example.org exit 1`, ""},
	{"pattern", "type x | findstr http://example.org", ""},
	{"comments", "rem http://example.org\n:: http://example.org", ""},
	{"server", "netsh http add urlacl url=http://example.org:80/ & reg add HKCU\\x /v ProxyServer /d http://proxy.example.org:3128", ""},
	{"error stream", "curl http://example.org/a 2>nul >NUL 2>&1", "curl https://example.org/a 2>nul >NUL 2>&1"},
	{"unbalanced", `curl "http://example.org/a`, `curl "https://example.org/a`},
}

func powershell(text string) words.Input { return argv("powershell", "-Command", text) }
func cmdline(text string) words.Input    { return argv("cmd", "/S", "/C", text) }

func TestWindows(t *testing.T) {
	for shell, cases := range map[string][]windowsCase{"PowerShell": powershellCases, "cmd": cmdCases} {
		for _, c := range cases {
			t.Run(shell+"/"+c.name, func(t *testing.T) {
				in := powershell(c.text)
				if shell == "cmd" {
					in = cmdline(c.text)
				}
				res := words.Analyse(in, table(t, route.Config{}))
				got, _ := edited(t, in, res)
				want := c.want
				if want == "" {
					want = c.text
				}
				if diff := cmp.Diff(want, got[len(got)-1]); diff != "" {
					t.Errorf("(-want +got):\n%s%s", diff, describe(res))
				}
				if len(res.Fetches) == 0 {
					t.Error("no address was found")
				}
				if len(res.Commands) != 1 || res.Unparsed != "" {
					t.Errorf("commands %q, unparsed %q", res.Commands, res.Unparsed)
				}
			})
		}
	}
}

// TestWindowsText checks which words are the text: behind options and in
// several words.
func TestWindowsText(t *testing.T) {
	for _, c := range []struct {
		name       string
		args, want []string
	}{
		{"words", []string{"powershell", "-NoProfile", "iwr", "http://example.org/a"}, []string{"powershell", "-NoProfile", "iwr", "https://example.org/a"}},
		{"option with a value", []string{"pwsh", "-ep", "Bypass", "-c", "Write-Host", "http://example.org/a"}, nil},
		{"preamble", []string{"powershell", "-Command", "$x = 1;", "iwr http://example.org/a"}, []string{"powershell", "-Command", "$x = 1;", "iwr https://example.org/a"}},
		{"file", []string{"powershell", "-File", "a.ps1", "http://example.org/a"}, []string{"powershell", "-File", "a.ps1", "https://example.org/a"}},
		{"cmd's words", []string{"cmd", "/c", "curl", "http://example.org/a"}, []string{"cmd", "/c", "curl", "https://example.org/a"}},
		{"cmd without a command", []string{"cmd", "http://example.org/a"}, []string{"cmd", "https://example.org/a"}},
		{"no command", []string{"powershell", "-Command"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := argv(c.args...)
			got, _ := edited(t, in, words.Analyse(in, table(t, route.Config{})))
			want := c.want
			if want == nil {
				want = c.args
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPowerShellInShell checks a nested text whose quotes the outer shell has
// taken off.
func TestPowerShellInShell(t *testing.T) {
	in := shell(`pwsh -c "iwr \"http://example.org/a\"; Write-Host \"http://example.org\""`)
	res := words.Analyse(in, table(t, route.Config{}))
	got, _ := edited(t, in, res)
	if want := `pwsh -c "iwr \"https://example.org/a\"; Write-Host \"http://example.org\""`; got[2] != want {
		t.Errorf("got %s%s", got[2], describe(res))
	}
}

// TestWindowsEnvironment checks the values of variables that the text names.
func TestWindowsEnvironment(t *testing.T) {
	ps := powershell
	for _, c := range []struct {
		name string
		in   words.Input
		want bool
	}{
		{"argument", ps("iwr -Uri $env:URL -OutFile a"), true},
		{"in braces and capitals", ps("iwr ${ENV:url}"), true},
		{"in a string", ps(`iwr "$env:URL/a.zip"`), true},
		{"format", ps("iwr ('{0}/a' -f $env:URL)"), true},
		{"argument of a program", ps("curl.exe -o a $env:URL"), true},
		{"assigned", ps("$u = $env:URL + '/a'; iwr $u"), true},
		{"printed", ps("Write-Host $env:URL"), false},
		{"compared", ps("if ($env:URL -eq $x) { exit 1 }"), false},
		{"proxy", ps("iwr https://example.com/a -Proxy $env:URL"), false},
		{"another name", ps("iwr $env:URL2; iwr $URL"), false},
		{"cmd", cmdline("curl -o a %url%/a"), true},
		{"cmd, behind a percent sign", cmdline("curl -o 100% %URL%"), true},
		{"cmd prints", cmdline("echo %URL%"), false},
		{"cmd, proxy", cmdline("curl -x %URL% https://example.com/a"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in
			in.Env = []words.Var{{Name: "URL", Value: textmap.Identity("http://example.org")}}
			res := words.Analyse(in, table(t, route.Config{}))
			_, env := edited(t, in, res)
			if got := env["URL"] == "https://example.org"; got != c.want {
				t.Errorf("moved: %v%s", got, describe(res))
			}
		})
	}
}

// FuzzWindows holds the laws of edits for the text of both shells.
func FuzzWindows(f *testing.F) {
	for _, c := range append(powershellCases[:len(powershellCases):len(powershellCases)], cmdCases...) {
		f.Add(c.text)
	}
	tab := table(f, mirrors)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 {
			return
		}
		for _, input := range []func(string) words.Input{powershell, cmdline} {
			in := input(text)
			in.Env = []words.Var{{Name: "URL", Value: textmap.Identity("http://example.org/a")}}
			res := words.Analyse(in, tab)
			checkFetches(t, in, res)
			got, _ := edited(t, in, res)
			last := got[len(got)-1]
			if strings.Count(last, "\n") != strings.Count(text, "\n") {
				t.Fatalf("newlines changed: %q -> %q", text, last)
			}
			in = input(last)
			in.Env = []words.Var{{Name: "URL", Value: textmap.Identity("https://example.org/a")}}
			again := words.Analyse(in, tab)
			for _, x := range again.Fetches {
				if len(x.Edits) > 0 && x.Unedited == "" {
					t.Fatalf("not done after one pass:\n%q\n%q\n%s\n%s", text, last, describe(res), describe(again))
				}
			}
		}
	})
}
