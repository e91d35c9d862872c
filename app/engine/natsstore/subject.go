package natsstore

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/hub"
)

// A subject is area.shard.tenant.person.asker.conversation.id. The server keeps the
// subjects of all records in memory, so every byte counts.
const (
	areaAsk     = "ask"
	areaDraft   = "drf"
	areaDue     = "due" // which tickets have a deadline
	areaAudit   = "aud" // of layout 1
	areaArchive = "his" // closed tickets
	areaAux     = "aux" // the stream of the small areas; no subject has it
	areaSes     = "ses"
	areaUse     = "use"
	areaLink    = "lnk"
	areaGateway = "gwy"
	areaTold    = "tld"
	areaNotify  = "ntf"
	areaKey     = "key" // keys, and the stream of what all shards share
	areaSecret  = "prv"
	areaRule    = "rul"
	areaWake    = "wak"
	areaPerson  = "per"
	areaContent = "txt"
	areaEvent   = "evt" // evt.ask.… is what was stored at ask.…
)

const subjectTokens = 7

var errSubject = errors.New("not a subject of this store")

// token encodes any string as a part of a subject, one to one. What consists of
// letters, digits, '-' and '_' stays as it is, unless it begins with '_': that
// marks the base64 of anything else.
func token(s string) string {
	if plain(s) {
		return s
	}
	return "_" + base64.RawURLEncoding.EncodeToString([]byte(s))
}

func untoken(t string) (string, error) {
	if plain(t) {
		return t, nil
	}
	if !strings.HasPrefix(t, "_") {
		return "", errSubject
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(t[1:])
	if err != nil || plain(string(b)) {
		return "", errSubject
	}
	return string(b), nil
}

func plain(s string) bool {
	if s == "" || s[0] == '_' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// shardOf returns the shard of an inbox. It must never change: records are found by it.
func shardOf(tenant, person string, shards int) int {
	if shards == 1 {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(tenant))
	h.Write([]byte{0})
	h.Write([]byte(person))
	v := h.Sum64()
	v ^= v >> 32 // the low bits of FNV alone are poorly mixed
	return int(v % uint64(shards))
}

func shardToken(shard int) string { return fmt.Sprintf("%02d", shard) }

// areas says where the records of each kind are: below which area, and in which stream. Small ones share a stream.
var areas = [...]struct {
	kind         hub.Kind
	area, stream string
}{
	{hub.KindTicket, areaAsk, areaAsk},
	{hub.KindDraft, areaDraft, areaDraft},
	{hub.KindSession, areaSes, areaAux},
	{hub.KindUsage, areaUse, areaAux},
	{hub.KindLink, areaLink, areaAux},
	{hub.KindGateway, areaGateway, areaAux},
	{hub.KindTold, areaTold, areaAux},
	{hub.KindNotify, areaNotify, areaKey},
	{hub.KindKey, areaKey, areaKey},
	{hub.KindSecret, areaSecret, areaKey},
	{hub.KindRule, areaRule, areaKey},
	{hub.KindWake, areaWake, areaKey},
	{hub.KindPerson, areaPerson, areaKey},
	{hub.KindContent, areaContent, areaKey},
}

// shared reports whether the first shard has all records of an area. They are few, and a stream in every shard would cost
// each node more than the records do.
func shared(area string) bool {
	for _, a := range areas {
		if a.area == area {
			return a.stream == areaKey
		}
	}
	return false
}

func area(kind hub.Kind) (string, error) {
	for _, a := range areas {
		if a.kind == cmp.Or(kind, hub.KindTicket) {
			return a.area, nil
		}
	}
	return "", fmt.Errorf("unknown kind of record %q", kind)
}

func kindOf(area string) hub.Kind {
	for _, a := range areas {
		if a.area == area {
			return a.kind
		}
	}
	return hub.KindTicket // an entry of its deadline
}

// names spells the subjects and streams of one store.
type names struct{ prefix string }

func (n names) subject(area, ss string, a hub.Address) string {
	var b strings.Builder
	b.Grow(len(n.prefix) + 12 + len(a.Tenant) + len(a.Person) + len(a.Asker) + len(a.Conversation) + len(a.ID))
	b.WriteString(n.space())
	b.WriteString(area)
	b.WriteByte('.')
	b.WriteString(ss)
	for _, part := range [...]string{a.Tenant, a.Person, a.Asker, a.Conversation, a.ID} {
		b.WriteByte('.')
		b.WriteString(token(part))
	}
	return b.String()
}

// space is what all subjects of the store begin with.
func (n names) space() string {
	if n.prefix == "" {
		return ""
	}
	return n.prefix + "."
}

// all selects every subject of an area in one shard.
func (n names) all(area, ss string) string { return n.space() + area + "." + ss + ".>" }

// fence is the subject of the writes that make reads certain.
func (n names) fence(ss string) string { return n.space() + areaAsk + "." + ss + "._." + fenceToken }

// event selects the notifications of what a query selects, in one shard or in all. It is as short as can be: the server
// keeps a node for each token.
func (n names) event(area, ss string, q hub.Query) string {
	filter := strings.TrimPrefix(n.filter(area, ss, q), n.space())
	for strings.HasSuffix(filter, ".*.*") {
		filter = strings.TrimSuffix(filter, ".*")
	}
	return n.space() + areaEvent + "." + strings.TrimSuffix(filter, "*") + ">"
}

// filter selects the subjects of a query in one shard.
func (n names) filter(area, ss string, q hub.Query) string {
	exactly := func(s *string) string {
		if s == nil {
			return "*"
		}
		return token(*s)
	}
	any := func(s string) string {
		if s == "" {
			return "*"
		}
		return token(s)
	}
	return n.space() + strings.Join([]string{area, ss, any(q.Tenant), exactly(q.Person), exactly(q.Asker), any(q.Conversation), "*"}, ".")
}

// parse reads the subject of a record, with or without the area of events before it.
func (n names) parse(subject string) (area string, shard int, a hub.Address, err error) {
	rest, ok := strings.CutPrefix(subject, n.space())
	if !ok {
		return "", 0, a, errSubject
	}
	rest = strings.TrimPrefix(rest, areaEvent+".")
	var part [subjectTokens]string
	for i := range part {
		var more bool
		part[i], rest, more = strings.Cut(rest, ".")
		if more == (i == subjectTokens-1) {
			return "", 0, a, errSubject
		}
	}
	for i, field := range []*string{&a.Tenant, &a.Person, &a.Asker, &a.Conversation, &a.ID} {
		if *field, err = untoken(part[i+2]); err != nil {
			return "", 0, a, fmt.Errorf("%w: %q", err, subject)
		}
	}
	if shard, err = strconv.Atoi(part[1]); err != nil {
		return "", 0, a, fmt.Errorf("%w: %q", errSubject, subject)
	}
	return part[0], shard, a, nil
}

// stream names a stream. The layout's version is a part of it, so that a folder can have the streams of two while the
// records are moved.
func (n names) stream(area, ss string) string {
	name := strings.ToUpper(area) + strconv.Itoa(LayoutVersion) + "-" + ss
	if n.prefix == "" {
		return name
	}
	return n.prefix + "-" + name
}

// Filed says what a record is by its subject, for who finds it outside of the store: in files that are damaged. A store with
// a prefix has other subjects.
func Filed(subject string) (what Filing, a hub.Address, ok bool) {
	area, _, a, err := names{}.parse(subject)
	if err != nil {
		return "", a, false
	}
	switch what = Filing(area); what {
	case FiledTicket, FiledDraft, FiledDue, FiledClosed, FiledSession, FiledUsage, FiledKey, FiledSecret:
		return what, a, true
	}
	return "", a, false
}

// Filing is what a record is.
type Filing string

// What a record is.
const (
	FiledTicket  Filing = areaAsk
	FiledDraft   Filing = areaDraft
	FiledDue     Filing = areaDue     // the deadline of a ticket
	FiledClosed  Filing = areaArchive // the copy of a closed ticket
	FiledSession Filing = areaSes
	FiledUsage   Filing = areaUse
	FiledKey     Filing = areaKey
	FiledSecret  Filing = areaSecret
)

// HeadState is the header of a ticket and of its copy that is StateSettled once its asker has the outcome. Such a ticket is
// read from its copy when the stream of tickets does not have it.
const (
	HeadState    = headState
	HeadOrigin   = headOrigin // only copies have it
	StateSettled = stateSettled
)
