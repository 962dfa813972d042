package fetch

import (
	"context"
	"net/url"
	"os/exec"
	"strings"
	"time"
)

// direct is how apt's configuration says that no proxy is to be used.
const direct = "DIRECT"

// proxyFor returns the proxy for a URL, nil if it is fetched directly; told is
// what apt found by itself, see Request. A proxy that apt would not use is a
// *Failure.
//
// The order is apt's: the setting for the host, what detection says, the
// setting for all, the environment; no_proxy switches every one of them off.
// Source: HttpServerState::Open in methods/http.cc.
func (c *Client) proxyFor(ctx context.Context, u *url.URL, told string) (*url.URL, *Failure) {
	if listed(u.Hostname(), c.Environ("no_proxy")) {
		return nil, nil
	}
	where, text := c.proxyText(ctx, u, told)
	proxy, why := parseProxy(text)
	if why != "" {
		return nil, &Failure{Message: "the proxy " + plain(text) + " of " + where + " cannot be used: " + why}
	}
	if proxy != nil && proxy.User == nil {
		if login, ok := c.auth.Find(proxy, nil); ok {
			proxy.User = url.UserPassword(login.User, login.Password)
		}
	}
	return proxy, nil
}

// proxyText returns where a proxy is set, and to what.
func (c *Client) proxyText(ctx context.Context, u *url.URL, told string) (where, text string) {
	s := c.settings(u)
	if item, v := s.where("Proxy::" + u.Hostname()); v != "" {
		return item, v
	}
	if told != "" {
		return "Acquire::http::Proxy-Auto-Detect", told
	}
	if item, program := s.where("Proxy-Auto-Detect"); program != "" {
		if v := c.detect(ctx, program, u, s.timeout()); v != "" {
			return item, v
		}
	} else if item, program := s.where("ProxyAutoDetect"); program != "" {
		if v := c.detect(ctx, program, u, s.timeout()); v != "" {
			return item, v
		}
	}
	if item, v := s.where("Proxy"); v != "" {
		return item, v
	}
	if v := c.Environ("https_proxy"); v != "" && s.tls {
		return "https_proxy", v
	}
	return "http_proxy", c.Environ("http_proxy")
}

// parseProxy reads a proxy's address; "DIRECT", a word without a colon such as
// "false", and nothing are none. why says what is wrong with it.
func parseProxy(text string) (proxy *url.URL, why string) {
	if text == direct || !strings.Contains(text, ":") {
		return nil, ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !strings.Contains(text, "://"):
		return nil, "write it as http://HOST:PORT"
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5h":
		return nil, "its scheme is not http, https or socks5h"
	case u.Hostname() == "":
		return nil, "it names no host"
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}, ""
}

// detect asks the program of Proxy-Auto-Detect for the proxy of a host, once,
// and returns the first line of its output. It runs as whoever this process is,
// as for releases of apt that leave it to the method. A program that fails is
// said and asked no more. Source: AutoDetectProxy in apt-pkg/contrib/proxy.cc.
func (c *Client) detect(ctx context.Context, program string, u *url.URL, wait time.Duration) string {
	key := program + "\n" + u.Scheme + "\n" + u.Host
	c.detecting.Lock()
	defer c.detecting.Unlock()
	if answer, known := c.detected[key]; known {
		return answer
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	bare := *u
	bare.User = nil
	cmd := exec.CommandContext(ctx, program, bare.String())
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		c.once("the program " + plain(program) + " for finding the proxy failed: " + plain(err.Error()))
	}
	answer, _, _ := strings.Cut(string(out[:min(len(out), 4096)]), "\n")
	c.detected[key] = strings.TrimSpace(answer)
	return c.detected[key]
}

// settings are apt's options for a URL.
func (c *Client) settings(u *url.URL) settings {
	return settings{conf: c.Conf, tls: u.Scheme == "https", host: u.Hostname()}
}
