package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// step is one request of a transcript. What a step needs from those before it is
// written {like this}: {a1} is the ask with that id, {digest a1} its digest.
type step struct {
	about, who, method, path, body string
	header                         []string
}

const (
	askA1    = `{"id":"a1","origin":{"conversation":"c1","agents":["planner"],"host":"example"},"questions":[{"id":"db","header":"Database","text":"Which database?","options":[{"id":"pg","label":"PostgreSQL"},{"id":"lite","label":"SQLite"}]}]}`
	toolCall = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]}]}`
	pgA1     = `{"digest":"{digest a1}","surface":"terminal","answers":[{"questionId":"db","selected":["pg"]}]}`
	liteA1   = `{"digest":"{digest a1}","answers":[{"questionId":"db","selected":["lite"]}]}`
)

var (
	asked    = step{"bot asks", "bot", "POST", "/v1/asks", askA1, nil}
	answered = step{"ada answers", "ada", "PUT", "/v1/asks/{a1}/answer", pgA1, nil}
	strong   = step{"bot wants a passkey", "bot", "POST", "/v1/asks", `{"id":"a2","minAssurance":3,"origin":{"conversation":"c2"},"questions":[{"id":"q","text":"Delete the production database?"}]}`, nil}
	toBob    = step{"bot asks bob", "bot", "POST", "/v1/asks", `{"id":"a3","to":["bob"],"questions":[{"id":"q","text":"Which day?"}]}`, nil}
	again    = func(s step, about string) step { s.about = about; return s }
	big      = `{"reason":"` + strings.Repeat("x", 1<<20) + `"}`
)

// inShop is an ask about a database in the workspace shop.
func inShop(id, text string) string {
	return `{"id":"` + id + `","origin":{"conversation":"c9","workspace":"shop"},"questions":[{"id":"db","text":"` + text +
		`","options":[{"id":"pg","label":"PostgreSQL"},{"id":"lite","label":"SQLite"}]}]}`
}

// transcripts has the outcomes of each route.
func transcripts() map[string][]step {
	// What every route that takes a body says to one that it cannot read.
	bodies := func(method, path, who string) []step {
		return []step{
			{"a name twice", who, method, path, `{"digest":"x","digest":"y"}`, nil},
			{"a name in other letters", who, method, path, `{"Digest":"x"}`, nil},
			{"not JSON", who, method, path, `digest=x`, []string{"Content-Type", "application/x-www-form-urlencoded"}},
			{"too large", who, method, path, big, nil},
		}
	}
	return map[string][]step{
		"submitAsk": append([]step{
			asked,
			again(asked, "the same ask again"),
			{"other questions under the same id", "bot", "POST", "/v1/asks", `{"id":"a1","origin":{"conversation":"c1"},"questions":[{"text":"Which day?"}]}`, nil},
			{"another asker with the same id", "bot2", "POST", "/v1/asks", askA1, nil},
			{"with a key", "bot", "POST", "/v1/asks", `{"questions":[{"text":"Which day?"}]}`, []string{"Idempotency-Key", "k1"}},
			{"the same request again", "bot", "POST", "/v1/asks", `{"questions":[{"text":"Which day?"}]}`, []string{"Idempotency-Key", "k1"}},
			{"another request with the same key", "bot", "POST", "/v1/asks", `{"questions":[{"text":"Which day?"}],"deadline":"2027-01-01T00:00:00Z"}`, []string{"Idempotency-Key", "k1"}},
			{"a key that is none", "bot", "POST", "/v1/asks", `{"questions":[{"text":"Which day?"}]}`, []string{"Idempotency-Key", strings.Repeat("k", 257)}},
			{"a raw tool call", "bot", "POST", "/v1/asks?dialect=claude&conversation=c1&toolCall=toolu_1&agent=planner&agent=researcher&to=ada", toolCall, nil},
			{"the same call again", "bot", "POST", "/v1/asks?dialect=claude&conversation=c1&toolCall=toolu_1&agent=planner&agent=researcher&to=ada", toolCall, nil},
			{"a call that is not valid", "bot", "POST", "/v1/asks?dialect=claude", `{"questions":[]}`, nil},
			{"a dialect that is none", "bot", "POST", "/v1/asks?dialect=klingon", toolCall, nil},
			{"no question", "bot", "POST", "/v1/asks", `{"questions":[]}`, nil},
			{"what was mistyped is refused, not ignored", "bot", "POST", "/v1/asks", `{"questions":[{"text":"Sure?"}],"minAsurance":2}`, nil},
			{"an id that is too long", "bot", "POST", "/v1/asks", `{"id":"` + strings.Repeat("x", 257) + `","questions":[{"text":"Sure?"}]}`, nil},
			{"who answers does not ask", "ada", "POST", "/v1/asks", askA1, nil},
			{"nobody answers in time", "bot", "POST", "/v1/asks?wait=1ms&consume=1", askA1, nil},
			{"no wait is no wait, also in seconds", "bot", "POST", "/v1/asks?wait=0&consume=1", askA1, nil},
			answered,
			{"the outcome, without taking it", "bot", "POST", "/v1/asks?wait=30", askA1, nil},
			{"the outcome, taken", "bot", "POST", "/v1/asks?wait=60s&consume=1", askA1, nil},
			{"and again, without a wait", "bot", "POST", "/v1/asks?consume=true", askA1, nil},
			{"a flag that is none", "bot", "POST", "/v1/asks?consume=maybe", askA1, nil},
		}, bodies("POST", "/v1/asks", "bot")...),
		"listAsks": {
			{"nothing waits", "ada", "GET", "/v1/asks", "", nil},
			asked, toBob,
			{"ada sees what she may answer", "ada", "GET", "/v1/asks", "", nil},
			{"bob sees his own, too, page by page", "bob", "GET", "/v1/asks?limit=1", "", nil},
			{"the observer sees that something waits", "eye", "GET", "/v1/asks?conversation=c1", "", nil},
			{"another asker sees nothing", "bot2", "GET", "/v1/asks", "", nil},
			{"by agent", "bot", "GET", "/v1/asks?agent=planner", "", nil},
			{"by person", "bot", "GET", "/v1/asks?to=bob", "", nil},
			answered,
			{"what was answered", "bot", "GET", "/v1/asks?status=answered", "", nil},
			{"what the asker does not have yet", "bot", "GET", "/v1/asks?consumed=false", "", nil},
			{"what it has", "bot", "GET", "/v1/asks?consumed=true&status=answered", "", nil},
			{"bot takes it", "bot", "POST", "/v1/asks/{a1}/consumed", "", nil},
			{"nothing is left", "bot", "GET", "/v1/asks?consumed=0", "", nil},
			{"and it has this", "bot", "GET", "/v1/asks?consumed=1", "", nil},
			{"a flag that is none", "bot", "GET", "/v1/asks?consumed=perhaps", "", nil},
			{"a status that is none", "bot", "GET", "/v1/asks?status=sleeping", "", nil},
			{"a limit that is none", "bot", "GET", "/v1/asks?limit=0", "", nil},
			{"a cursor that is none", "bob", "GET", "/v1/asks?cursor=x", "", nil},
		},
		"getAsk": {
			asked, toBob,
			{"the asker", "bot", "GET", "/v1/asks/{a1}", "", nil},
			{"the observer", "eye", "GET", "/v1/asks/{a1}", "", nil},
			{"nobody has answered in time", "bot", "GET", "/v1/asks/{a1}?wait=1ms", "", nil},
			answered,
			{"what is closed comes at once", "bot", "GET", "/v1/asks/{a1}?wait=60s", "", nil},
			{"what the observer sees of it", "eye", "GET", "/v1/asks/{a1}", "", nil},
			{"what is to somebody else", "ada", "GET", "/v1/asks/{a3}", "", nil},
			{"a handle that is none", "bot", "GET", "/v1/asks/AAAA", "", nil},
			{"a time that is none", "bot", "GET", "/v1/asks/{a1}?wait=soon", "", nil},
		},
		"answerAsk": append([]step{
			asked, answered,
			again(answered, "the same answer again"),
			{"another answer of another person", "bob", "PUT", "/v1/asks/{a1}/answer", liteA1, nil},
			{"another answer of the same person", "ada", "PUT", "/v1/asks/{a1}/answer", liteA1, nil},
			{"other questions were shown", "bob", "PUT", "/v1/asks/{a1}/answer", `{"digest":"0000","answers":[{"questionId":"db","selected":["pg"]}]}`, nil},
			strong,
			{"not sure enough who answers", "ada", "PUT", "/v1/asks/{a2}/answer", `{"digest":"{digest a2}","reply":"yes"}`, nil},
			toBob,
			{"an answer that is none", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","answers":[{"questionId":"q","other":" "}]}`, nil},
			{"what does not fit the question", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","answers":[{"questionId":"q","selected":["x"]}]}`, nil},
			{"another revision was shown", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","revision":99,"reply":"Monday"}`, nil},
			{"not hers to answer", "ada", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","reply":"Monday"}`, nil},
			{"a status that no person gives", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","status":"expired"}`, nil},
			{"own words, named by the surface", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","answers":[{"questionId":"q","other":"Monday"}]}`, []string{"Idempotency-Key", "n1"}},
			{"taken back", "bob", "POST", "/v1/asks/{a3}/undo", "", nil},
			{"the same close again stays taken back", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","answers":[{"questionId":"q","other":"Monday"}]}`, []string{"Idempotency-Key", "n1"}},
			{"who asks does not answer", "bot", "PUT", "/v1/asks/{a1}/answer", pgA1, nil},
			{"nor does who administers", "root", "PUT", "/v1/asks/{a1}/answer", pgA1, nil},
		}, bodies("PUT", "/v1/asks/{a1}/answer", "ada")...),
		"declineAsk": append([]step{
			asked,
			{"other questions were shown", "ada", "POST", "/v1/asks/{a1}/decline", `{"digest":"0000"}`, nil},
			{"ada declines", "ada", "POST", "/v1/asks/{a1}/decline", `{"digest":"{digest a1}","reason":"not now","surface":"web"}`, []string{"Idempotency-Key", "n1"}},
			{"the same again", "ada", "POST", "/v1/asks/{a1}/decline", `{"digest":"{digest a1}","reason":"not now","surface":"web"}`, []string{"Idempotency-Key", "n1"}},
			{"too late for bob", "bob", "POST", "/v1/asks/{a1}/decline", `{"digest":"{digest a1}"}`, nil},
			{"taken back", "ada", "POST", "/v1/asks/{a1}/undo", "", nil},
			{"the same close again stays taken back", "ada", "POST", "/v1/asks/{a1}/decline", `{"digest":"{digest a1}","reason":"not now","surface":"web"}`, []string{"Idempotency-Key", "n1"}},
			strong,
			{"not sure enough who declines", "ada", "POST", "/v1/asks/{a2}/decline", `{"digest":"{digest a2}"}`, nil},
			{"nothing there", "ada", "POST", "/v1/asks/AAAA/decline", `{"digest":"0000"}`, nil},
		}, bodies("POST", "/v1/asks/{a1}/decline", "ada")...),
		"withdrawAsk": append([]step{
			asked,
			{"not the asker", "bot2", "POST", "/v1/asks/{a1}/withdraw", "", nil},
			{"bot withdraws", "bot", "POST", "/v1/asks/{a1}/withdraw", `{"reason":"solved"}`, nil},
			{"the same again", "bot", "POST", "/v1/asks/{a1}/withdraw", `{"reason":"solved"}`, nil},
			{"again, in other words", "bot", "POST", "/v1/asks/{a1}/withdraw", `{"reason":"never mind","status":"superseded"}`, nil},
			{"an answer comes too late, and is kept", "ada", "PUT", "/v1/asks/{a1}/answer", pgA1, nil},
			toBob,
			{"bob answers", "bob", "PUT", "/v1/asks/{a3}/answer", `{"digest":"{digest a3}","reply":"Monday"}`, nil},
			{"what is answered is not withdrawn", "bot", "POST", "/v1/asks/{a3}/withdraw", "", nil},
		}, bodies("POST", "/v1/asks/{a1}/withdraw", "bot")...),
		"getDraft": {
			asked, toBob,
			{"there is none", "ada", "GET", "/v1/asks/{a1}/draft", "", nil},
			{"ada types", "ada", "PUT", "/v1/asks/{a1}/draft", `{"answers":[{"questionId":"db","other":"Postgr"}]}`, nil},
			{"and finds it again", "ada", "GET", "/v1/asks/{a1}/draft", "", nil},
			{"nobody else does", "bob", "GET", "/v1/asks/{a1}/draft", "", nil},
			{"not hers to answer", "ada", "GET", "/v1/asks/{a3}/draft", "", nil},
		},
		"saveDraft": append([]step{
			asked, toBob,
			{"ada types", "ada", "PUT", "/v1/asks/{a1}/draft", `{"reply":"Well"}`, nil},
			{"not hers to answer", "ada", "PUT", "/v1/asks/{a3}/draft", `{"reply":"Well"}`, nil},
		}, bodies("PUT", "/v1/asks/{a1}/draft", "ada")...),
		"listPrecedents": {
			{"bot asks in a workspace", "bot", "POST", "/v1/asks", inShop("b1", "Which database should the service use?"), nil},
			{"nothing was answered before", "ada", "GET", "/v1/asks/{b1}/precedents", "", nil},
			{"ada answers", "ada", "PUT", "/v1/asks/{b1}/answer", `{"digest":"{digest b1}","answers":[{"questionId":"db","selected":["lite"],"note":"a file is enough"}]}`, nil},
			{"bot asks in other words", "bot", "POST", "/v1/asks", inShop("b2", "What database do you want for this service?"), nil},
			{"what ada said before", "ada", "GET", "/v1/asks/{b2}/precedents", "", nil},
			{"which closes nothing", "ada", "GET", "/v1/asks/{b2}", "", nil},
			toBob,
			{"not hers to answer", "ada", "GET", "/v1/asks/{a3}/precedents", "", nil},
			{"nothing there", "ada", "GET", "/v1/asks/AAAA/precedents", "", nil},
		},
		"listDecisions": {
			{"bot asks in a workspace", "bot", "POST", "/v1/asks", inShop("b1", "Which database should the service use?"), nil},
			{"what is open is no decision", "bot", "GET", "/v1/decisions?workspace=shop", "", nil},
			{"ada answers", "ada", "PUT", "/v1/asks/{b1}/answer", `{"digest":"{digest b1}","answers":[{"questionId":"db","selected":["lite"],"note":"a file is enough"}]}`, nil},
			{"bot looks it up", "bot", "GET", "/v1/decisions?workspace=shop&q=database&limit=1", "", nil},
			{"and something else", "bot", "GET", "/v1/decisions?workspace=shop&q=colors", "", nil},
			{"another workspace", "bot", "GET", "/v1/decisions?workspace=billing&q=database", "", nil},
			{"another asker", "bot2", "GET", "/v1/decisions?workspace=shop&q=database", "", nil},
			{"no workspace", "bot", "GET", "/v1/decisions?q=database", "", nil},
			{"a limit that is none", "bot", "GET", "/v1/decisions?workspace=shop&limit=99", "", nil},
		},
		"attendAsk": {
			asked, toBob,
			{"ada is there", "ada", "POST", "/v1/asks/{a1}/attend", "", nil},
			{"not hers to answer", "ada", "POST", "/v1/asks/{a3}/attend", "", nil},
			answered,
			{"what is closed needs nobody", "ada", "POST", "/v1/asks/{a1}/attend", "", nil},
			{"nothing there", "ada", "POST", "/v1/asks/AAAA/attend", "", nil},
		},
		"consumeAsk": {
			asked,
			{"nothing to have yet", "bot", "POST", "/v1/asks/{a1}/consumed", "", nil},
			{"nor after a moment", "bot", "POST", "/v1/asks/{a1}/consumed?wait=1ms", "", nil},
			{"a time that is none", "bot", "POST", "/v1/asks/{a1}/consumed?wait=soon", "", nil},
			answered,
			{"bot has it", "bot", "POST", "/v1/asks/{a1}/consumed", "", nil},
			{"and says so again", "bot", "POST", "/v1/asks/{a1}/consumed", "", nil},
			{"not the asker", "bot2", "POST", "/v1/asks/{a1}/consumed", "", nil},
		},
		"undoAnswer": append([]step{
			asked,
			{"nothing to take back", "ada", "POST", "/v1/asks/{a1}/undo", "", nil},
			answered,
			{"not who answered", "bob", "POST", "/v1/asks/{a1}/undo", "", nil},
			{"ada takes it back", "ada", "POST", "/v1/asks/{a1}/undo", "{}", nil},
			{"and again", "ada", "POST", "/v1/asks/{a1}/undo", "", nil},
			again(answered, "ada answers anew"),
			{"bot has it", "bot", "POST", "/v1/asks/{a1}/consumed", "", nil},
			{"too late", "ada", "POST", "/v1/asks/{a1}/undo", "", nil},
			{"nothing there", "ada", "POST", "/v1/asks/AAAA/undo", "", nil},
		}, bodies("POST", "/v1/asks/{a1}/undo", "ada")...),
		"callTool": append([]step{
			{"nobody answers in time", "bot", "POST", "/v1/dialects/claude/call?wait=1ms", `{"id":"toolu_1","conversation":"c1","arguments":` + toolCall + `}`, nil},
			{"ada finds it", "ada", "POST", "/conversations/c1/respond", `{"digest":"` + toolDigest() + `","answers":{"Which database?":"SQLite"}}`, nil},
			{"the same call again", "bot", "POST", "/v1/dialects/claude/call", `{"id":"toolu_1","conversation":"c1","arguments":` + toolCall + `}`, nil},
			{"a call that is not valid", "bot", "POST", "/v1/dialects/claude/call", `{"id":"toolu_2","arguments":{"questions":[{"question":"Why?"}]}}`, nil},
			{"with what the asker needs to go on", "bot", "POST", "/v1/dialects/json/call?wait=0", `{"id":"toolu_3","conversation":"c3","metadata":{"run":"r7"},"deadline":"2027-01-01T00:00:00Z","onExpiry":{"default":[{"questionId":"q1","selected":["o1"]}]},"arguments":` + toolCall + `}`, nil},
			{"a default that does not fit", "bot", "POST", "/v1/dialects/json/call?wait=0", `{"id":"toolu_4","onExpiry":{"default":[{"questionId":"x"}]},"arguments":` + toolCall + `}`, nil},
			asked,
			{"an ask of any kind, by its name", "bot", "POST", "/v1/dialects/pi/call?wait=1ms", `{"ask":"{a1}"}`, nil},
			answered,
			{"and again", "bot", "POST", "/v1/dialects/pi/call?wait=1ms", `{"ask":"{a1}"}`, nil},
			{"not the asker", "bot2", "POST", "/v1/dialects/pi/call?wait=1ms", `{"ask":"{a1}"}`, nil},
			{"a dialect that is none", "bot", "POST", "/v1/dialects/klingon/call", `{"arguments":{}}`, nil},
			{"a time that is none", "bot", "POST", "/v1/dialects/pi/call?wait=-1s", `{"arguments":{}}`, nil},
			{"with a key", "bot", "POST", "/v1/dialects/claude/call?wait=1ms", `{"arguments":` + toolCall + `}`, []string{"Idempotency-Key", "k1"}},
			{"another call with the same key", "bot", "POST", "/v1/dialects/claude/call?wait=1ms", `{"host":"other","arguments":` + toolCall + `}`, []string{"Idempotency-Key", "k1"}},
		}, bodies("POST", "/v1/dialects/claude/call", "bot")...),
		"takeLateResults": {
			{"a call whose asker goes away", "bot", "POST", "/v1/dialects/claude/call?wait=0", `{"id":"toolu_1","conversation":"c1","metadata":{"run":"r7"},"arguments":` + toolCall + `}`, nil},
			{"nothing was said", "bot", "POST", "/v1/conversations/c1/late", "", nil},
			{"ada answers", "ada", "POST", "/conversations/c1/respond", `{"digest":"` + toolDigest() + `","answers":{"Which database?":"SQLite"}}`, nil},
			{"somebody may still wait for it", "bot", "POST", "/v1/conversations/c1/late", "", nil},
			asked,
			{"bot2 has asked nothing", "bot2", "POST", "/v1/conversations/c1/late", "", nil},
			{"what was said, once", "bot", "POST", "/v1/conversations/c1/late", "", nil},
			{"and not again", "bot", "POST", "/v1/conversations/c1/late", "", nil},
			answered, toBob, toBob,
			{"in a dialect", "bot", "POST", "/v1/conversations/c1/late?dialect=pi", "", nil},
			{"a dialect that is none", "bot", "POST", "/v1/conversations/c1/late?dialect=klingon", "", nil},
			{"a name that is too long", "bot", "POST", "/v1/conversations/" + strings.Repeat("c", 257) + "/late", "", nil},
		},
		"getMe": {
			{"an asker", "bot", "GET", "/v1/me", "", nil},
			{"an observer", "eye", "GET", "/v1/me", "", nil},
			{"nobody", "nobody", "GET", "/v1/me", "", nil},
		},
		"getTool": {
			{"how seed 3 spells it", "bot", "GET", "/v1/dialects/json", "", nil},
			{"a dialect that is none", "bot", "GET", "/v1/dialects/klingon", "", nil},
		},
		"respondInConversation": append([]step{
			{"nothing waits", "ada", "POST", "/conversations/c1/respond", `{"digest":"0000","answers":{"Which database?":"PostgreSQL"}}`, nil},
			asked,
			{"to what?", "ada", "POST", "/conversations/c1/respond", `{"answers":{"Which database?":"PostgreSQL"}}`, nil},
			{"to a question that does not wait", "ada", "POST", "/conversations/c1/respond", `{"ask":"{a1}","answers":{"Which day?":"Monday"}}`, nil},
			{"nothing said", "ada", "POST", "/conversations/c1/respond", `{"ask":"{a1}","answers":{}}`, nil},
			{"other questions were shown", "ada", "POST", "/conversations/c1/respond", `{"ask":"{a1}","answers":{"Which database?":"PostgreSQL"},"digest":"0000"}`, nil},
			{"ada responds", "ada", "POST", "/conversations/c1/respond", `{"digest":"{digest a1}","answers":{"Which database?":"postgresql"}}`, nil},
			{"the same again", "ada", "POST", "/conversations/c1/respond", `{"ask":"{a1}","answers":{"Which database?":"PostgreSQL"}}`, nil},
			strong,
			{"not sure enough who answers", "ada", "POST", "/conversations/c2/respond", `{"ask":"{a2}","answers":{"Delete the production database?":"yes"}}`, nil},
			{"an ask that another asker makes in its place", "bot", "POST", "/v1/asks", `{"id":"a4","origin":{"conversation":"c5"},"questions":[{"id":"q","text":"Which day?"}]}`, nil},
			{"the same questions of another asker", "bot2", "POST", "/v1/asks", `{"id":"a5","origin":{"conversation":"c5"},"questions":[{"id":"q","text":"Which day?"}]}`, nil},
			{"the first is withdrawn", "bot", "POST", "/v1/asks/{a4}/withdraw", "", nil},
			{"which one was shown?", "ada", "POST", "/conversations/c5/respond", `{"digest":"{digest a4}","answers":{"Which day?":"Monday"}}`, nil},
			{"the one that is gone", "ada", "POST", "/conversations/c5/respond", `{"ask":"{a4}","answers":{"Which day?":"Monday"}}`, nil},
		}, bodies("POST", "/conversations/c1/respond", "ada")...),
		"cancelInConversation": append([]step{
			{"nothing waits", "ada", "POST", "/conversations/c1/cancel", "", nil},
			asked,
			{"ada cancels", "ada", "POST", "/conversations/c1/cancel", "", nil},
			{"the same again", "ada", "POST", "/conversations/c1/cancel", "", nil},
			strong,
			{"not sure enough who cancels", "ada", "POST", "/conversations/c2/cancel", "", nil},
			{"a second ask in the conversation", "bot", "POST", "/v1/asks", `{"id":"a4","origin":{"conversation":"c2"},"questions":[{"id":"q","text":"Which day?"}]}`, nil},
			{"which one?", "ada", "POST", "/conversations/c2/cancel", "", nil},
			{"this one", "ada", "POST", "/conversations/c2/cancel", `{"ask":"{a4}"}`, nil},
			{"a name that is too long", "ada", "POST", "/conversations/" + strings.Repeat("c", 257) + "/cancel", "", nil},
		}, bodies("POST", "/conversations/c1/cancel", "ada")...),
		"relayAnswer": append([]step{
			asked,
			{"a program says what a person would", "bot", "POST", "/v1/asks/{a1}/relay", `{"digest":"{digest a1}","answers":[{"questionId":"db","selected":["pg"]}],"surface":"editor"}`, nil},
			{"and again", "bot", "POST", "/v1/asks/{a1}/relay", `{"digest":"{digest a1}","answers":[{"questionId":"db","selected":["pg"]}],"surface":"editor"}`, nil},
			{"ada is too late", "ada", "POST", "/v1/asks/{a1}/relay", `{"digest":"{digest a1}","reply":"no"}`, nil},
			{"not the asker's", "bot2", "POST", "/v1/asks/{a1}/relay", `{"digest":"{digest a1}","reply":"no"}`, nil},
			strong,
			{"the hub must be sure who answers", "bot", "POST", "/v1/asks/{a2}/relay", `{"digest":"{digest a2}","reply":"yes"}`, nil},
			{"other questions were shown", "bot", "POST", "/v1/asks/{a2}/relay", `{"digest":"0000","reply":"yes"}`, nil},
			{"to ada alone", "bot", "POST", "/v1/asks", `{"id":"a4","to":["ada"],"questions":[{"id":"q","text":"Which day?"}]}`, nil},
			{"a program is not ada", "bot", "POST", "/v1/asks/{a4}/relay", `{"digest":"{digest a4}","reply":"Monday"}`, nil},
			{"nor is ada's", "ada", "POST", "/v1/asks/{a4}/relay", `{"digest":"{digest a4}","reply":"Monday"}`, nil},
		}, bodies("POST", "/v1/asks/{a1}/relay", "bot")...),
	}
}

// TestTranscripts holds every reply of every route to the recorded one.
func TestTranscripts(t *testing.T) {
	all := transcripts()
	for _, rt := range routes() {
		steps := all[rt.id]
		if steps == nil {
			continue
		}
		t.Run(rt.id, func(t *testing.T) {
			got, kinds := play(t, steps)
			golden(t, filepath.Join("testdata", "transcripts", rt.id+".txt"), got)
			for _, k := range rt.problems {
				// Those that any route may meet have tests of their own, and
				// somebody else is faster only in a race.
				raced := k == alreadyClosed && (rt.id == "respondInConversation" || rt.id == "cancelInConversation") || k == undone && rt.id == "relayAnswer"
				if k != unavailable && !raced && !slices.Contains(kinds, api.ProblemURN+k.name) {
					t.Errorf("the transcript does not show %s", k.name)
				}
			}
		})
	}
}

// play makes the requests in a world where time and chance are fixed.
func play(t *testing.T, steps []step) (text []byte, kinds []string) {
	var clock atomic.Int64
	now := func() time.Time { return time.Date(2026, 11, 15, 9, 0, int(clock.Load()), 0, time.UTC) }
	w := newWorldOver(t, hub.NewMemory(nil), &hub.Options{Now: now, Key: make([]byte, 32), Random: rand.NewChaCha8([32]byte{})}, &Options{Now: now})
	var b bytes.Buffer
	names, digests := map[string]string{}, map[string]string{}
	for i, s := range steps {
		clock.Store(int64(i))
		fill := func(s string) string {
			for id, handle := range names {
				s = strings.ReplaceAll(strings.ReplaceAll(s, "{"+id+"}", handle), "{digest "+id+"}", digests[id])
			}
			return s
		}
		req := w.request(s.who, s.method, fill(s.path), fill(s.body), s.header...)
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, req)
		body := rec.Body.Bytes()
		var problem api.Problem
		var reply api.Ticket
		if json.Unmarshal(body, &problem) == nil {
			kinds = append(kinds, problem.Type)
		}
		if json.Unmarshal(body, &reply) == nil && reply.Ask != nil {
			id := reply.Ask.ID
			if other, ok := names[id]; ok && other != reply.ID { // another asker's
				id = reply.Ask.Origin.Asker + " " + id
			}
			names[id], digests[id] = reply.ID, reply.Digest
		}
		sent := s.body
		if len(sent) > 1000 {
			sent = fmt.Sprintf("(%d bytes)", len(sent))
		}
		fmt.Fprintf(&b, "# %s\n> %s %s (%s)\n", s.about, s.method, s.path, s.who)
		for i := 0; i+1 < len(s.header); i += 2 {
			fmt.Fprintf(&b, "> %s: %s\n", s.header[i], s.header[i+1])
		}
		if sent != "" {
			fmt.Fprintf(&b, "> %s\n", sent)
		}
		fmt.Fprintf(&b, "< %d %s\n", rec.Code, rec.Header().Get("Content-Type"))
		for _, name := range []string{"Location", "Retry-After", "WWW-Authenticate"} {
			if v := rec.Header().Get(name); v != "" {
				fmt.Fprintf(&b, "< %s: %s\n", name, v)
			}
		}
		var pretty bytes.Buffer
		if json.Indent(&pretty, bytes.TrimSpace(body), "", "  ") == nil {
			body = pretty.Bytes()
		}
		fmt.Fprintf(&b, "%s\n\n", body)
	}
	text = b.Bytes()
	for id, handle := range names { // no handle is part of another
		text = bytes.ReplaceAll(text, []byte(handle), []byte("{"+id+"}"))
	}
	return withoutNonces(text), kinds
}

var nonces = regexp.MustCompile(`"nonce": "[A-Za-z0-9_-]{22}"`)

// withoutNonces numbers the nonces that the hub drew: what else draws from the same
// source is no part of a reply.
func withoutNonces(text []byte) []byte {
	numbers := map[string]string{}
	return nonces.ReplaceAllFunc(text, func(one []byte) []byte {
		if numbers[string(one)] == "" {
			numbers[string(one)] = fmt.Sprintf(`"nonce": "{nonce %d}"`, len(numbers)+1)
		}
		return []byte(numbers[string(one)])
	})
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s:%d\n want %s\n  got %s", file, i+1, a[i], b[i])
		}
	}
	t.Fatalf("%s has %d lines, got %d", file, len(a), len(b))
}

// toolDigest is the digest of the questions of toolCall.
func toolDigest() string {
	a, _ := (&sayso.Tool{Dialect: dialect.Claude}).Prepare(sayso.Call{Arguments: []byte(toolCall)})
	return a.Digest()
}
