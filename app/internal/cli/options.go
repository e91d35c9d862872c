package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/dialect"
)

// option is a flag that is also a setting. Flags, environment variables, the
// settings file, its page and "sayso help config" are all made from [options].
type option struct {
	name    string
	kind    kind
	usage   string                    // one phrase, for the flag and for the page
	initial string                    // the default in words; empty: none
	check   func(value string) string // what to use instead, empty for a good value; nil: any of the kind
}

// variable is the name of the option in the environment.
func (o *option) variable() string {
	return "SAYSO_" + strings.ToUpper(strings.ReplaceAll(o.name, "-", "_"))
}

// kind is what a value looks like.
type kind string

const (
	text     kind = "a text"
	texts    kind = "a list of texts" // each as it is
	names    kind = "a list of names" // commas separate them, too
	yesNo    kind = "true or false"
	count    kind = "a whole number"
	duration kind = "a duration"
	quotas   kind = "a list of limits"
	size     kind = "a size"
)

// options returns every setting: first those of all commands, then those of "ask"
// and what else asks, then those of "serve".
func options() []option {
	return []option{
		{"hub", text, "the hub: a URL, the path of a socket, or \"none\"", "your own hub on this machine", nil},
		{"key-file", text, "file with the key for the hub", "", nil},
		{"plain", yesNo, "ask line by line, without drawing (also: ACCESSIBLE=1, TERM=dumb)", "false", nil},
		{"dialog", text, "ask on this terminal: auto|always|never", "auto", oneOf("auto", "always", "never")},
		{"alert", text, "how the inbox rings when a question arrives and you look elsewhere: auto|bell|off", "auto", oneOf("auto", "bell", "off")},

		{"conversation", text, "conversation of the questions", "one for the repository or folder", nil},
		{"agent", texts, "names of the agents that ask, top agent first", "", nil},
		{"dialect", text, "format of tool calls", "found out from the call", checkDialect},

		{"listen", text, "TCP address for agents and other machines, for example 127.0.0.1:7777", "", nil},
		{"web", text, "TCP address of the web inbox, for example 127.0.0.1:7778", "", nil},
		{"host", names, "name that the hub answers to, in addition to those of this machine", "", nil},
		{"tls-cert", text, "file with the certificate for --listen and --web", "", nil},
		{"tls-key", text, "file with the key of the certificate", "", nil},
		{"behind-proxy", yesNo, "a proxy in front of --listen and --web handles TLS", "false", nil},
		{"idle", duration, "exit after this long without open questions or connected clients", "never; 10m in the background", nil},
		{"quota", quotas, "limit for each key, for example open=20 or stored=1GiB", "see Quotas", nil},
		{"shards", count, "parts of the storage, set when it is made", "16 with --listen, else 1", nil},
		{"replicas", count, "servers that have a copy of every question", "1; 3 in a cluster", nil},
		{"keep", duration, "how long closed questions can be read", "720h", nil},
		{"keep-unread", duration, "how long an answer is kept that its agent has not fetched", "720h", nil},
		{"audit", yesNo, "keep an archive of closed questions, for the audit", "true", nil},
		{"max-asks", count, "questions that the storage holds", "no limit", nil},
		{"max-bytes", size, "bytes that the questions take", "no limit", nil},
		{"node", text, "name of this node in a cluster of hubs; it must stay the same", "", checkNode},
		{"cluster-listen", text, "TCP address for the other nodes, for example 10.0.0.1:6222", "", nil},
		{"cluster-route", names, "address of a node; name every node, this one too", "", nil},
		{"cluster-tls-cert", text, "file with the certificate of this node", "", nil},
		{"cluster-tls-key", text, "file with the key of that certificate", "", nil},
		{"cluster-tls-ca", text, "file with the authority that signed the certificates of all nodes", "", nil},
		{"nats", names, "URL of a NATS server that has the storage", "the storage is in this process", nil},
		{"nats-creds", text, "file with the NATS credentials", "", nil},
		{"nats-nkey", text, "file with the NATS nkey seed", "", nil},
		{"nats-ca", text, "file with the authority that signed the certificates of the NATS servers", "those of the system", nil},
		{"nats-cert", text, "file with the client certificate for NATS", "", nil},
		{"nats-key", text, "file with the key of that certificate", "", nil},
		{"nats-sync-check", text, "subject at which NATS tells whether it syncs every write", "not checked", nil},
		{"max-connections", count, "TCP connections at a time", "what the file descriptors allow, at most 16384", nil},
		{"drain", duration, "how long to serve on after /readyz has failed, when the hub is told to end", "5s with --listen on an address other machines reach, else 0s", nil},
		{"metrics", text, "TCP address that serves /metrics without a key; keep it private", "", nil},
		{"log-level", text, "least level of log lines: debug|info|warn|error", "info", oneOf("debug", "info", "warn", "error")},
		{"log-format", text, "format of log lines: text|json", "text", oneOf("text", "json")},
		{"security-log", text, "file of the security log, or \"off\"", "security.log in the state folder", nil},
		{"notify-command", text, "program that \"sayso notify add command\" runs, with its arguments", "", nil},
		{"notify-allow", names, "inside host or network that notifications may be sent to, for example ntfy.lan or 10.1.0.0/16", "public addresses only", checkAllow},
		{"connect-codex", text, "connect the Codex of this machine: auto|always|never", "auto: for your own hub, not for a server", oneOf("auto", "always", "never")},
		{"push-contact", text, "how push services reach you: an https: or mailto: address", "the address of the project", checkContact},
	}
}

// optionNamed returns one of the [options]. That there is one is the caller's
// mistake to make, and every run of the program finds it.
func optionNamed(name string) *option {
	for _, o := range options() {
		if o.name == name {
			return &o
		}
	}
	panic("cli: no option " + name)
}

// bind makes the flag of an option, which sets the target.
func bind(flags *pflag.FlagSet, name string, target any) {
	o := optionNamed(name)
	usage := o.usage
	if o.initial != "" && o.initial != "false" && o.name != "dialog" && o.name != "alert" { // else pflag tells, or there is nothing to tell
		usage += " (default: " + o.initial + ")"
	}
	switch target := target.(type) {
	case *string:
		flags.StringVar(target, name, *target, usage)
	case *bool:
		flags.BoolVar(target, name, *target, usage)
	case *int:
		flags.IntVar(target, name, *target, usage)
	case *time.Duration:
		flags.DurationVar(target, name, *target, usage)
	case *[]string:
		flags.StringSliceVar(target, name, *target, usage)
	case pflag.Value:
		flags.Var(target, name, usage)
	default:
		panic(fmt.Sprintf("cli: option %s cannot be a %T", name, target))
	}
}

// verify returns what is wrong with a value, as an error whose hint says what is
// right, or nil. Where is what people see before the value.
func (o *option) verify(where, value string) error {
	right := ""
	switch o.kind {
	case yesNo:
		if _, err := strconv.ParseBool(value); err != nil {
			right = "Use true or false."
		}
	case count:
		if n, err := strconv.Atoi(value); err != nil || n < 0 {
			right = "Use a whole number, or 0 for the default."
		}
	case duration:
		if d, err := time.ParseDuration(value); err != nil || d < 0 {
			right = `Use a duration such as "90s", "10m" or "8h".`
		}
	case size:
		if _, err := httpapi.ParseSize(value); err != nil {
			right = `Use a size such as "64MiB" or "20GiB".`
		}
	case quotas:
		if err := new(quotaFlag).Set(value); err != nil {
			right = upper(err.Error()) + "."
		}
	}
	if o.check != nil && right == "" {
		right = o.check(value)
	}
	if right == "" {
		return nil
	}
	return console.Usage("%s cannot be %q", where, value).Next("%s All settings: sayso help config.", right)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func oneOf(words ...string) func(string) string {
	return func(value string) string {
		if slices.Contains(words, value) {
			return ""
		}
		return (&console.ChoiceError{Value: value, Words: words}).Hint("")
	}
}

func checkDialect(value string) string {
	if _, ok := dialect.ByName(value); ok {
		return ""
	}
	return console.DidYouMean(value, dialect.Names()) + "Formats: sayso dialects."
}

// checkNode allows what the storage takes as the name of a server, and what can stand in a file name.
func checkNode(value string) string {
	for _, r := range value {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_' || r == '.') {
			return "Use letters, digits, dots, dashes and underscores."
		}
	}
	return ""
}

// checkAllow allows what the guard of outgoing requests understands.
func checkAllow(value string) string {
	if list, ok := strings.CutPrefix(value, "["); ok { // of a flag
		value = strings.TrimSuffix(list, "]")
	}
	if err := outbound.CheckAllow(strings.Split(value, ",")); value != "" && err != nil {
		return "Use a host, an address or a network, such as ntfy.lan, 10.1.2.3:8080 or 10.1.0.0/16."
	}
	return ""
}

// checkContact allows what push services accept.
func checkContact(value string) string {
	if !strings.HasPrefix(value, "https://") && (!strings.HasPrefix(value, "mailto:") || !strings.Contains(value, "@")) {
		return "Use an address such as https://example.com or mailto:ann@example.com."
	}
	return ""
}
