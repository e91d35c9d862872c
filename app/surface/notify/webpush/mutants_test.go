package webpush

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/surface/notify/webpush/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("the sender's key is not in the key", "TestRFC8291", `got`, "seal.go",
		"string(k.public)+string(public), 32)", "string(k.public)+map[bool]string{false: string(public)}[MUTANT], 32)"),
	mutant("a message is as long as what it says", "TestPadding", `on the wire`, "seal.go",
		"return sealWith(msg, k, own, salt, padTo)", "return sealWith(msg, k, own, salt, map[bool]int{true: 1, false: padTo}[MUTANT])"),
	mutant("a token is for every service", "TestPut", `a token for`, "vapid.go",
		"}{audience, now", "}{map[bool]string{false: audience}[MUTANT], now"),
	mutant("any host may be sent to", "TestAllowed|TestAddress", `true|inside`, "address.go",
		"\tif u.Scheme != \"https\" && u.Scheme != \"http\" {\n", "\tif MUTANT {\n\t\treturn true\n\t}\n\tif u.Scheme != \"https\" && u.Scheme != \"http\" {\n"),
	mutant("a subscription that ended is tried again", "TestFaults", `404|410`, "channel.go",
		"case code == http.StatusNotFound, code == http.StatusGone:", "case !MUTANT && (code == http.StatusNotFound || code == http.StatusGone):"),
	mutant("a browser that is signed out is told", "TestSignedOut", `signed out`, "channel.go", "\t\tif !holds {\n", "\t\tif !holds && !MUTANT {\n"),
	mutant("Safari gets a message that shows nothing", "TestPayload$", `over on Safari`, "payload.go", "if n.Over && !a.apple() {", "if n.Over && (MUTANT || !a.apple()) {"),
	mutant("an error has the address of the browser", "TestUnreachable", `got`, "channel.go", "if errors.As(err, &ue) {", "if errors.As(err, &ue) && !MUTANT {"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
