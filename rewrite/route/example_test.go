package route_test

import (
	"cmp"
	"fmt"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

func ExampleTable_Route() {
	vars := map[string]string{
		"LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR": "https://mirror.example/debian-security",
		"LOOPX_HOSTS": "nexus.example.com:8081=upgrade",
	}
	cfg, _, err := route.FromEnv(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := route.NewTable(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, url := range []string{
		"http://deb.debian.org/debian",
		"http://security.debian.org/",
		"http://ppa.launchpad.net/user/tool/ubuntu",
		"http://nexus.example.com:8081/x.tar.gz",
		"http://localhost:3000/",
		"http://packages.ros.org/ros2/ubuntu",
	} {
		d := table.Route(url, route.Context{Role: route.AptSource})
		fmt.Println(d.Action, d.Rule, cmp.Or(d.To, "-"))
	}
	// Output:
	// upgrade archive https://deb.debian.org/debian
	// mirror operator-mirror https://mirror.example/debian-security/
	// upgrade archive https://ppa.launchpadcontent.net/user/tool/ubuntu
	// upgrade host-rule https://nexus.example.com:8081/x.tar.gz
	// keep loopback -
	// refuse archive -
}

func ExampleFromEnv() {
	vars := map[string]string{"LOOPX_DEBIAN_MIRROR": "http://mirror.example/debian"}
	_, _, err := route.FromEnv(func(name string) (string, bool) { v, ok := vars[name]; return v, ok })
	fmt.Println(err)
	// Output:
	// LOOPX_DEBIAN_MIRROR: "http://mirror.example/debian" is not an https URL; write https://mirror.example/debian
}

func ExampleRedact() {
	fmt.Println(route.Redact("http://user:password@repo.example/debian"))
	// Output:
	// http://***@repo.example/debian
}
