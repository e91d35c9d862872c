package stats

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What is quoted or code is not said by the asker.
var quoted = regexp.MustCompile("(?s)```.*?(```|$)|`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|https?://\\S+|\\([^()]*\\)")

// mostRead is how much of a text is looked at, in bytes.
const mostRead = 4000

// plain returns a text without quotations, code, addresses and remarks in parentheses.
func plain(s string) string {
	if len(s) > mostRead {
		s = strings.ToValidUTF8(s[:mostRead], "")
	}
	if !strings.ContainsAny(s, "`\"“„«(") && !strings.Contains(s, "://") {
		return s
	}
	return quoted.ReplaceAllString(s, " x ")
}

// questionsIn returns the sentences that end with a question mark. A mark ends a
// sentence if white space follows: those of 1.5 and a?.b do not.
func questionsIn(text string) []string {
	var all []string
	begin := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		mark := c == '.' || c == '!' || c == '?'
		if c != '\n' && !mark || mark && i+1 < len(text) && !strings.ContainsRune(" \n\t.!?", rune(text[i+1])) {
			continue
		}
		if mark && i+1 < len(text) && strings.IndexByte(".!?", text[i+1]) >= 0 {
			continue // the last of them counts
		}
		if s := strings.TrimSpace(text[begin : i+1]); c == '?' && len(wordsOf(s)) > 0 {
			all = append(all, s)
		}
		begin = i + 1
	}
	return all
}

// wordsOf returns the words of a text in lower case.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Split(words, ",") {
		m[strings.TrimSpace(w)] = true
	}
	return m
}

var (
	// yesNo begin a question that is answered with yes or no.
	yesNo = set("should,shall,can,could,may,might,do,does,did,is,are,was,were,will,would,has,have,am,must,ok to,okay to,soll,sollen,darf,dürfen,kann,können,ist,sind,war,wird,werden,möchten,möchtest,wollen,willst,hat,haben,muss,müssen")

	// proposals begin a question that proposes to do something: "Delete it?"
	proposals = set("delete,drop,remove,rename,keep,use,run,add,fix,merge,deploy,ship,update,upgrade,replace,move,split,enable,disable,skip,install,create,commit,push,revert,rebase,squash,publish,release,restart,retry,overwrite,archive")

	// open begin a question that is answered in words.
	open = set("what,what's,where,when,who,whom,whose,how,why,was,wo,wann,wer,wen,wem,wie,warum,wieso,weshalb,wohin,woher,welche,welcher,welches,welchen")

	// tells follow "can you": such a question wants to be told something.
	tells = set("tell,give,provide,share,describe,explain,paste,send,clarify,list,name,say,point,specify,elaborate,show,upload,suggest,write,mir,uns,bitte,sagen,angeben,nennen,beschreiben")

	// lead-ins do not count as the first word.
	leads = set("so,and,also,but,then,ok,okay,well,now,before,please,first,finally,just,hi,hello,hey,und,also,aber,dann,bitte,noch")

	otherLabels = set("other,others,something else,none of these,none of the above,other specify,custom,other please specify,i'll type it,type your own,andere,anderes,etwas anderes,sonstiges")
	bothLabels  = set("both,both of them,all,all of them,all of the above,all of these,both of the above,beide,beides,alle,alles davon")
)

// choosable reports whether a question names its alternatives, or is answered with yes
// or no.
func choosable(q string) bool {
	w := afterLead(wordsOf(q))
	if len(w) < 2 {
		return false
	}
	if slices.Contains(w, "or") || slices.Contains(w, "oder") {
		if either(q, w) {
			return true
		}
	}
	return isYesNo(w)
}

// isYesNo reports whether a question is answered with yes or no.
func isYesNo(w []string) bool {
	if w[0] == "was" && !slices.Contains([]string{"it", "this", "that", "the", "there"}, w[1]) {
		return false // German: what
	}
	if proposals[w[0]] {
		return true
	}
	if !yesNo[w[0]] && !(w[0] == "ok" || w[0] == "okay") {
		return false
	}
	rest := w[1:]
	if len(rest) > 0 && (rest[0] == "you" || rest[0] == "sie" || rest[0] == "du") {
		rest = rest[1:]
		if len(rest) > 0 && rest[0] == "please" {
			rest = rest[1:]
		}
		if len(rest) == 0 || tells[rest[0]] || (w[0] == "do" || w[0] == "haben") && (rest[0] == "have" || rest[0] == "know" || w[0] == "haben") {
			return false // it wants to be told something
		}
		if slices.ContainsFunc(rest, func(s string) bool { return s != "was" && s != "how" && open[s] || s == "which" }) {
			return false // "would you say which …"
		}
	}
	return true
}

// either reports whether the alternatives of an "or" are what is asked for: "Tabs or
// spaces?", and not "What is the name or id?".
func either(q string, w []string) bool {
	at := max(slices.Index(w, "or"), slices.Index(w, "oder"))
	if at == 0 || at == len(w)-1 || vague[w[at+1]] {
		return false
	}
	switch first := w[0]; {
	case yesNo[first] && isYesNo(w):
		return true
	case first == "which", strings.HasPrefix(first, "welche"), first == "what", first == "how", first == "where", first == "wie", first == "wo", first == "was":
		// Which one, A or B? Only behind a comma, a colon or a dash.
		i := strings.LastIndexAny(q, ",:–—")
		return i >= 0 && (strings.Contains(strings.ToLower(q[i:]), " or ") || strings.Contains(strings.ToLower(q[i:]), " oder "))
	case open[first], yesNo[first]:
		return false
	}
	return len(w) <= 12
}

// vague words behind "or" make no alternative of it.
var vague = set("so,something,anything,similar,other,otherwise,elsewhere,whatever,someone,somebody,etwas,so,ähnliches,sonst")

func afterLead(w []string) []string {
	for len(w) > 1 && leads[w[0]] {
		w = w[1:]
	}
	return w
}

// goOn are questions that ask only for leave to go on.
var goOn = regexp.MustCompile(`^(?:(?:so|ok|okay|now|and) )?(?:(?:should|shall|can|may|do you want|would you like|want|is it ok(?:ay)?(?: for| if)?) (?:i|me|we|us)? ?(?:to )?(?:now |just )?(?:continue|proceed|go on|go ahead|start|begin|keep going|move on|carry on)(?: now| with (?:this|that|it|the (?:next step|plan|implementation|task|work|changes|rest)))?|ready (?:to (?:continue|proceed|go on|start|go)|for the next step)|(?:is|does) (?:this|that|it|everything) (?:ok|okay|fine|good|correct|alright|right|all right|look (?:ok|okay|good|right|fine|correct)|sound good|sound right)(?: (?:so far|to you|with you|for you))?|(?:any|do you have any) (?:questions|objections)|soll(?:en)? (?:ich|wir) (?:jetzt )?(?:weitermachen|fortfahren|loslegen|anfangen|beginnen)|(?:ist|passt) (?:das|es) (?:so )?(?:ok|okay|in ordnung|gut|richtig)?|kann ich (?:weitermachen|fortfahren))$`)

func isContinue(q string) bool {
	w := wordsOf(q)
	return len(w) <= 14 && goOn.MatchString(strings.Join(w, " "))
}

// second begins another question within a sentence.
var second = regexp.MustCompile(`(?i)[,;]? (?:and|und)(?: also| then| auch| dann)?,? (?:should|shall|which|what|where|when|who|how|why|do you|does|would you|can (?:i|we|you)|could (?:i|we|you)|is (?:it|there|the)|soll|sollen|welche[rsn]?|was|wie|wo|wann|darf|möchten) `)

// rhetorical reports whether a question only repeats or softens the one beside it.
var rhetorical = regexp.MustCompile(`(?i)^(?:right|ok|okay|yes|agreed|correct|or not|any thoughts|thoughts|what do you think|what would you prefer|which do you prefer|which one|or something else|oder|oder nicht|was meinen sie|einverstanden|does that work|sound good)\?+$`)

// isTwo reports whether there is more than one question. A short one that only
// softens another does not count, nor does an alternative: "Tabs? Or spaces?"
func isTwo(asked []string) bool {
	n := 0
	for i, q := range asked {
		w := wordsOf(q)
		if len(w) <= 5 && rhetorical.MatchString(q) || i > 0 && (w[0] == "or" || w[0] == "oder") || isContinue(q) && len(asked) > 1 && i > 0 {
			continue
		}
		n++
		if (slices.Contains(w, "and") || slices.Contains(w, "und")) && second.MatchString(q) {
			n++
		}
	}
	return n > 1
}
