package aptmethod

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/fetch"
	"github.com/loopx/loopx-frontend/frontend/aptmethod/message"
)

// Exit codes, those of apt's own methods: 100 for anything that ends it early,
// 112 if it can't give up root.
const (
	ExitOK      = 0
	ExitFailed  = 100
	ExitSandbox = 112
)

// Options are a method's surroundings.
type Options struct {
	// In and Out are apt's ends, Stderr is for people.
	In          io.Reader
	Out, Stderr io.Writer
	// Argv0 is the name that apt starts the method by; its last part is the
	// scheme: "/usr/lib/apt/methods/https".
	Argv0 string
	// Environ looks a variable up.
	Environ func(name string) string
	// Client makes what fetches. It is called once, after apt has sent its
	// configuration, and while the process may still be root.
	Client func(fetch.Config) (fetch.Getter, error)
	// Sandbox gives up root. It is called after Client.
	Sandbox func(*aptconf.Conf) error
}

// Serve talks to apt until apt closes its end, then waits for what it is
// fetching, and returns the exit code. If ctx ends, or apt is gone, it stops
// what it is fetching; what there is of a file is left to be continued.
func Serve(ctx context.Context, o Options) int {
	out := message.NewWriter(o.Out)
	if out.Write("100 Capabilities", capabilities()...) != nil {
		return ExitFailed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{opts: o, out: out, stop: cancel}
	code := s.loop(ctx, receive(ctx, o.In))
	s.jobs.Wait()
	if s.method != nil {
		s.report.finish()
	}
	return code
}

// capabilities are the fields of "100 Capabilities". The version is that of
// apt's own method, whose abilities these are; it is shown with apt's debug
// output only. Needs-Cleanup makes apt wait for the end, and thus for what is
// printed there.
func capabilities() []message.Field {
	return []message.Field{
		{Name: "Version", Value: "1.2"},
		{Name: "Pipeline", Value: "true"},
		{Name: "Send-Config", Value: "true"},
		{Name: "Needs-Cleanup", Value: "true"},
		{Name: "Send-URI-Encoded", Value: "true"},
	}
}

// server is one conversation with apt.
type server struct {
	opts Options
	out  *message.Writer
	stop func()
	jobs sync.WaitGroup

	*method // nil before apt has sent its configuration
}

// received is a message, or why there is none.
type received struct {
	*message.Message
	err error
}

// receive reads messages in a goroutine of its own, so that a read that never
// returns keeps nobody from stopping.
func receive(ctx context.Context, in io.Reader) <-chan received {
	messages := make(chan received)
	r := message.NewReader(in)
	go func() {
		for {
			m, err := r.Read()
			select {
			case messages <- received{m, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return messages
}

// loop answers messages until there are no more.
func (s *server) loop(ctx context.Context, messages <-chan received) int {
	for {
		var m received
		select {
		case <-ctx.Done():
			return ExitFailed
		case m = <-messages:
		}
		switch {
		case errors.Is(m.err, io.EOF):
			return s.end(ctx)
		case m.err != nil:
			return s.broken(m.err)
		case m.Code == 601:
			if code := s.configure(m.Message); code != ExitOK {
				return code
			}
		case m.Code == 600:
			s.acquire(ctx, m.Message)
		}
	}
}

// probeEvery is how often it is asked if apt is still there.
const probeEvery = 100 * time.Millisecond

// end is for the end of apt's messages: apt waits for the rest of its answers,
// or is gone. Which of them, shows when it is written to, and not at once: when
// a process is killed, the order in which its pipes are closed is the kernel's.
func (s *server) end(ctx context.Context) int {
	answered := make(chan struct{})
	go func() {
		s.jobs.Wait()
		close(answered)
	}()
	probe := time.NewTicker(probeEvery)
	defer probe.Stop()
	for {
		select {
		case <-answered:
			if ctx.Err() != nil {
				return ExitFailed
			}
			return ExitOK
		case <-probe.C:
			if s.out.Write("101 Log", message.Field{Name: "Message", Value: "no more requests"}) != nil {
				s.stop()
			}
		}
	}
}

// broken is for a conversation that can't go on.
func (s *server) broken(err error) int {
	_ = s.out.Write("401 General Failure", message.Field{Name: "Message", Value: err.Error()})
	s.stop()
	return ExitFailed
}

// configure takes apt's configuration. The order matters: credentials are for
// root only, and the network is not for root.
func (s *server) configure(m *message.Message) int {
	conf := &aptconf.Conf{}
	for name, value := range m.Items {
		conf.Add(name, value)
	}
	scheme := schemeOf(s.opts.Argv0)
	conf.Move("Binary::" + scheme)
	method, err := newMethod(s.opts, s.out, conf, scheme)
	if err != nil {
		return s.broken(err)
	}
	if err := s.opts.Sandbox(conf); err != nil {
		_ = s.out.Write("400 URI Failure", message.Field{Name: "URI", Value: unknownURI}, message.Field{Name: "Message", Value: err.Error()})
		s.stop()
		return ExitSandbox
	}
	s.method = method
	return ExitOK
}

// unknownURI stands for the URI in answers that are about none.
const unknownURI = "<UNKNOWN>"

// acquire starts to fetch a file.
func (s *server) acquire(ctx context.Context, m *message.Message) {
	if s.method == nil {
		_ = s.out.Write("400 URI Failure", message.Field{Name: "URI", Value: m.Get("URI")},
			message.Field{Name: "Message", Value: "apt asked for a file before it sent its configuration"})
		return
	}
	j := s.newJob(m)
	s.jobs.Go(func() {
		if j.run(ctx); s.out.Err() != nil {
			s.stop() // apt is gone
		}
	})
}
