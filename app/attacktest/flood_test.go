package attacktest

import (
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// asFlood makes this test program an attacker who opens connections: its value is
// how many, and to which addresses.
const asFlood = "SAYSO_FLOOD"

// flood holds connections open without a credential, and opens each one again
// that was closed, two thousand a second. It says on a line when every one was open
// once, and when its input ends how many were opened in all.
func flood(what string) int {
	words := strings.Fields(what)
	most, err := strconv.Atoi(words[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var opened atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{}, 64) // so many at a time
	for i := range most {
		all.Add(1)
		go func() { // until the process ends
			to := words[1+i%(len(words)-1)]
			for first := true; ; {
				begin <- struct{}{}
				c, err := net.DialTimeout("tcp", to, 10*time.Second)
				<-begin
				if err == nil {
					opened.Add(1)
					io.WriteString(c, [...]string{
						"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
						"GET /healthz HTTP/1.1\r\nHost: lo", // and never the rest
						"GET /login HTTP/1.1\r\nHost: localhost\r\n\r\n",
						"",
					}[i/2%4])
				}
				if first {
					first = false
					all.Done()
				}
				if err == nil {
					io.Copy(io.Discard, c)
					c.Close()
				}
				<-time.After(time.Duration(most) * time.Second / 2000)
			}
		}()
	}
	all.Wait()
	fmt.Println("open")
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(opened.Load())
	return 0
}
