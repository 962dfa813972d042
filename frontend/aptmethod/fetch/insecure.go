package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"
)

// insecure is a server with which TLS could not be spoken, or that could not
// prove who it is. It is never transient: a certificate does not get better by
// asking again, and what looks like an outage may be somebody in between.
func (t *trip) insecure(err error) *Failure {
	host := site(t.url)
	f := &Failure{Next: true, Down: true}
	var own *certificateError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &own):
		f.Message = host + " asks for a client certificate: " + plain(own.Error())
		f.Down = false
	case errors.As(err, &unknown) && t.fromProxyNetwork(unknown):
		f.Message = proxyNetworkAdvice(host)
	case timedOut(err):
		f.Transient, f.Reason = true, "Timeout"
		f.Message = fmt.Sprintf("%s did not finish the TLS handshake within %v%s", host, t.wait(), t.guessAdvice())
	case tlsProblem(err) != "":
		f.Message = host + " cannot be trusted: " + tlsProblem(err) + t.guessAdvice()
	case speaksNoTLS(err):
		f.Message = host + " does not speak TLS on port " + port(t.url) + t.guessAdvice()
	case tlsAlert(err) != "":
		f.Message = host + " refuses the TLS handshake: " + tlsAlert(err) + t.guessAdvice()
	default:
		f.Message = "TLS with " + host + " failed: " + plain(err.Error()) + t.guessAdvice()
	}
	return f
}

// tlsProblem says what is wrong with a certificate, and what to do about it; ""
// if err is about something else.
func tlsProblem(err error) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var other *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errRevoked):
		return errRevoked.Error()
	case errors.As(err, &name):
		return "its certificate is for " + names(name.Certificate) + ", not for " + plain(name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return validity(invalid.Cert)
	case errors.As(err, &unknown):
		return "its certificate is issued by " + issuer(unknown.Cert) + ", which nothing here trusts;" +
			" if that is your own authority, give its certificate with docker build --build-context loopx-ca=FOLDER"
	case errors.As(err, &invalid):
		return "its certificate cannot be used: " + plain(invalid.Error())
	case errors.As(err, &other):
		return "its certificate cannot be checked: " + plain(innermost(err))
	}
	return ""
}

// names are the hosts that a certificate is for, the first few of them.
func names(cert *x509.Certificate) string {
	const few = 3
	var list []string
	if cert != nil {
		list = append(list, cert.DNSNames...)
		for _, ip := range cert.IPAddresses {
			list = append(list, ip.String())
		}
	}
	switch n := len(list); {
	case n == 0:
		return "no host"
	case n > few:
		list = append(list[:few], fmt.Sprintf("%d more", n-few))
	}
	return plain(strings.Join(list, ", "))
}

// validity says when a certificate is valid: not now.
func validity(cert *x509.Certificate) string {
	const day = "2006-01-02"
	now := time.Now()
	if now.Before(cert.NotBefore) {
		return "its certificate is valid from " + cert.NotBefore.Format(day) + " on, and the clock here says " + now.Format(day)
	}
	return "its certificate expired on " + cert.NotAfter.Format(day) + "; the clock here says " + now.Format(day)
}

// issuer names who issued a certificate.
func issuer(cert *x509.Certificate) string {
	if cert == nil || cert.Issuer.String() == "" {
		return "an unnamed authority"
	}
	return plain(cert.Issuer.String())
}

// speaksNoTLS reports whether what answered is no TLS server.
func speaksNoTLS(err error) bool {
	var record tls.RecordHeaderError
	return errors.As(err, &record) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// tlsAlert is what the server said in a TLS alert; "" if err is none.
func tlsAlert(err error) string {
	var alert tls.AlertError
	if errors.As(err, &alert) {
		return plain(alert.Error())
	}
	// An alert that comes from the other side is wrapped without a type.
	if _, text, ok := strings.Cut(err.Error(), "remote error: tls: "); ok {
		return plain(text)
	}
	return ""
}
