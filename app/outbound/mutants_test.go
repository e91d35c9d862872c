package outbound

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/outbound/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("the name is judged, not the address", "TestInside$", `connections reached`, "guard.go",
		"if err := g.address(network, address, named, plain); err != nil {", "if err := g.address(network, address, named, plain); err != nil && !MUTANT {"),
	mutant("a name is looked up twice", "TestRebinding", `connections reached`, "guard.go",
		"\t\tnamed := g.allow.name(host, port)\n",
		"\t\tnamed := g.allow.name(host, port)\n\t\tif MUTANT {\n\t\t\tif ips, err := g.resolver.LookupNetIP(ctx, \"ip4\", host); err == nil {\n\t\t\t\tnamed = Public(ips[0])\n\t\t\t}\n\t\t}\n"),
	mutant("an IPv4 address in an IPv6 one is public", "TestPublic|TestInside$|FuzzPublic", `is public|reached|depends on its form`, "public.go",
		"\ta = a.Unmap()\n", "\tif !MUTANT {\n\t\ta = a.Unmap()\n\t} else if a.Is4In6() {\n\t\treturn true\n\t}\n"),
	mutant("redirects are followed", "TestRedirects", `were followed|status|not a public address`, "client.go",
		"\t\treturn http.ErrUseLastResponse\n", "\t\tif MUTANT {\n\t\t\treturn nil\n\t\t}\n\t\treturn http.ErrUseLastResponse\n"),
	mutant("the proxy of the environment is used", "TestProxyOfTheEnvironment", `reached the proxy|an answer`, "client.go",
		"Proxy:                  nil,", "Proxy: map[bool]func(*http.Request) (*url.URL, error){true: http.ProxyFromEnvironment}[MUTANT],"),
	mutant("what is public may be in clear", "TestClear", `public.test`, "guard.go", "\tcase plain:\n", "\tcase plain && !MUTANT:\n"),
	mutant("an allowed host allows what ends so", "TestAllow", `gotify.test`, "allow.go",
		"\treturn a.names[joinName(host, \"\")] ||", "\tfor s := range a.names {\n\t\tif MUTANT && strings.HasSuffix(host, s) {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn a.names[joinName(host, \"\")] ||"),
	mutant("an answer has no end", "TestBounds", `a long answer`, "client.go", "\tif o.Stream {\n", "\tif o.Stream || MUTANT {\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
