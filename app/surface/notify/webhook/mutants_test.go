package webhook_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/surface/notify/webhook/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("the body is not signed", "TestVector|TestReceivers", `got v1|401`, "sign.go", "\t\tmac.Write(body)\n", "\t\tif !MUTANT {\n\t\t\tmac.Write(body)\n\t\t}\n"),
	mutant("only the newest secret signs", "TestReceivers", `401`, "sign.go", "\tfor _, key := range keys {\n", "\tif MUTANT {\n\t\tkeys = keys[:1]\n\t}\n\tfor _, key := range keys {\n"),
	mutant("every attempt has its own id", "TestRetries", `:`, "message.go", "\tsum := sha256.Sum256([]byte(m.Type", "\tif MUTANT {\n\t\tstate += time.Now().String()\n\t}\n\tsum := sha256.Sum256([]byte(m.Type"),
	mutant("an ask that opens again has the same id", "TestPut", `two messages are called`, "message.go", "t.Digest, t.Status(), len(t.History))", "t.Digest, t.Status(), map[bool]int{false: len(t.History)}[MUTANT])"),
	mutant("the question is in the body", "TestHostile|TestPut", `MARKQUESTION is sent|it is sent|want`, "message.go",
		"m.Data.ID, m.Data.Status = c.handle(t), t.Status()", "m.Data.ID, m.Data.Status = c.handle(t)+map[bool]string{true: t.Ask.Questions[0].Text}[MUTANT], t.Status()"),
	mutant("a redirect counts as delivered", "TestAnswers", `<nil>`, "webhook.go", "\tcase res.StatusCode/100 == 2:\n", "\tcase res.StatusCode/100 == 2 || MUTANT && res.StatusCode/100 == 3:\n"),
	mutant("410 is tried again", "TestAnswers|TestGone", `answered 410|Off`, "webhook.go", "\tcase res.StatusCode == http.StatusGone:\n", "\tcase res.StatusCode == http.StatusGone && !MUTANT:\n"),
	mutant("Retry-After is ignored", "TestRetryAfter", `at:`, "webhook.go", "\t\tAfter: outbound.RetryAfter(res.Header, now),\n", "\t\tAfter: map[bool]time.Duration{false: outbound.RetryAfter(res.Header, now)}[MUTANT],\n"),
	mutant("the address is in the error", "TestUnreachable", `secret-path`, "webhook.go", "\t\treturn fmt.Errorf(\"webhook: %s: %w\", a.Name(), bare(err))\n", "\t\tif MUTANT {\n\t\t\treturn err\n\t\t}\n\t\treturn fmt.Errorf(\"webhook: %s: %w\", a.Name(), bare(err))\n"),
	mutant("any client will do", "TestInside", `reached|refused`, "webhook.go", "\t\tc.opts.Client = outbound.Client(nil)\n", "\t\tc.opts.Client = outbound.Client(nil)\n\t\tif MUTANT {\n\t\t\tc.opts.Client = http.DefaultClient\n\t\t}\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
