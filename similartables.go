package sayso

import "strings"

// The words of [Alike], English and German, as plain writes them. Tables of words
// that are compared by their stems are stemmed here.

// stops are the words that questions have whatever they are about.
var stops = set(`a an the this that these those it its i me my we us our you your they them their he she one ones
	which what who whom whose where when why how should shall may might can could would will do does did done is are was were be been being am
	have has had want wants wanted like prefer preferred please tell let get use used using uses go goes going make made
	and or but if then than so as at by for in on of with about into over under between from up out again also too just still here there now
	hi hello hey quick question questions need needs needed ok okay fine good thing things way ways both either any some much many
	really currently ahead implement implemented look want whether such each per via itself version number found two
	der die das den dem des ein eine einen einem einer eines ich mir mich wir uns sie ihr ihre es und oder aber wenn dann als wie wo was wer
	welche welches welcher welchen soll sollen sollte kann koennen darf duerfen ist sind war wird werden hat haben im in am an auf aus bei mit von vom zu zum zur fuer
	bitte moechten moechtest willst wollen verwenden verwende benutzen nutzen jetzt hier dort noch auch vor dazu`)

// negations turn a question around.
var negations = set(`not no never without except unless cannot neither nor none off nicht kein keine keinen nie niemals ohne ausser`)

var (
	targets = []string{"to", "into", "onto", "toward", "towards", "nach"}
	sources = []string{"from", "of", "in", "with", "for", "before", "after", "by", "at", "von", "vom", "aus", "fuer", "mit"}
)

// oneWord are words that are written as two.
var oneWord = strings.NewReplacer("n't", " not", "n’t", " not", "pull request", "pr", "Pull request", "pr", "code base", "codebase",
	"go on", "continue", "Go on", "continue", "carry on", "continue", "roll back", "revert", "Roll back", "revert", "set up", "setup")

// numberWords are numbers that people write out.
var numberWords = map[string]string{
	"two": "2", "three": "3", "four": "4", "five": "5", "ten": "10", "zwei": "2", "drei": "3", "vier": "4", "fuenf": "5", "zehn": "10",
}

// commonWords tell less than others: what is done is said with them in many questions.
var commonWords = stemmed(`yes no ja nein true false cancel abort stop wait continue proceed skip later never always next maybe other none now
	keep leave discard run apply change plan step first last fix add remove allow deny accept reject approve
	new old all every only also both write put start restart merge publish restore revert close open send drop
	set turn update create handle happen show work wrong right first back half a b c d yet ask review`)

// synonyms are words that mean the same in questions of agents: the first is compared.
var synonyms = func() map[string]string {
	m := map[string]string{}
	for _, line := range phrases(`
		database db datenbank databases
		postgresql postgres
		remove delete erase drop loeschen entfernen deletion removal deleted removed
		repository repo repositories
		directory folder dir ordner verzeichnis directories
		configuration config configure konfiguration
		environment env umgebung
		variable var variables vars
		production prod produktion live
		development dev entwicklung
		authentication auth
		library lib libraries bibliothek
		documentation docs doc
		function func funktion
		name call called naming named nennen heissen
		add adding added hinzufuegen
		prefer choose pick
		keep retain behalten
		run execute ausfuehren
		file datei dateien
		library package dependency paket abhaengigkeit
		support unterstuetzen
		javascript js
		typescript ts
		kubernetes k8s
		number count
		app application anwendung
		minimum min
		maximum max
	`) {
		for _, w := range line[1:] {
			m[stem(w)] = stem(line[0])
		}
	}
	return m
}()

// contrastsOf has, by word, the groups that it belongs to. Each word of a group makes
// another question.
var contrastsOf = func() map[string][]int {
	m := map[string][]int{}
	for i, line := range phrases(`
		staging production development test testing local preview sandbox
		enable disable
		add remove keep
		create remove
		install uninstall
		allow block deny forbid
		accept reject
		approve reject
		start stop continue
		upgrade downgrade
		increase decrease
		raise lower
		public private
		internal external internally externally
		encrypt decrypt
		lock unlock
		first last
		before after
		minimum maximum
		least most
		read write
		import export
		push pull
		inbound outbound
		ingress egress
		server client
		frontend backend
		old new
		only every all
		seconds minutes hours days weeks months
		kb mb gb tb
		eur usd gbp chf
		monday tuesday wednesday thursday friday saturday sunday
		january february march april may june july august september october november december
		today tomorrow yesterday
		aktivieren deaktivieren
		einschalten ausschalten
		vorher nachher
	`) {
		for _, w := range line {
			w = canonical(w)
			m[w] = append(m[w], i)
		}
	}
	return m
}()

func stemmed(list string) map[string]bool {
	m := map[string]bool{}
	for w := range set(list) {
		m[canonical(w)] = true
	}
	return m
}

// canonical returns the form in which a word is compared.
func canonical(w string) string {
	w = stem(w)
	if s, ok := synonyms[w]; ok {
		return s
	}
	return w
}

// wholes say that everything is meant: then a word more is less.
var wholes = []string{"all", "every", canonical("everything"), "alle"}

func isStop(w string) bool { return stops[w] }

func isNegation(w string) bool { return negations[w] }
