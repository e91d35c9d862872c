// Command sayso wires itself behind our back.
package main

func init() {} // want init

func main() {}
