// Command pause is the only file of an image: with an argument it writes it to
// the file /name, without one it says so and waits to be ended.
package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	if len(os.Args) > 1 {
		if err := os.WriteFile("/name", []byte(os.Args[1]+"\n"), 0o644); err != nil {
			panic(err)
		}
		return
	}
	fmt.Println("it runs")
	time.Sleep(time.Hour)
}
