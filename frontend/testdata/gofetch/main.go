// Command gofetch fetches its argument: a program that finds certificate
// authorities as Go programs do.
package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	res, err := http.Get(os.Args[1])
	if err != nil || res.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, res, err)
		os.Exit(1)
	}
}
