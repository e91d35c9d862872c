package words

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var verb = regexp.MustCompile(`%[sd]`)

// completeLanguages have every word in their own. One that is not among them is still
// being translated.
var completeLanguages = []string{"en", "de", "ar"}

// Every language says everything, of the same things in the same order as English.
func TestEveryWord(t *testing.T) {
	for _, l := range Languages() {
		if missing := Missing(l.Tag); slices.Contains(completeLanguages, l.Tag) {
			for _, name := range missing {
				t.Errorf("%s lacks %s", l.Tag, name)
			}
		} else {
			t.Logf("%s lacks %d words; with -v, these", l.Tag, len(missing))
			if testing.Verbose() {
				t.Log(strings.Join(missing, " "))
			}
		}
		checkLanguage(t, For(l.Tag))
	}
}

func checkLanguage(t *testing.T, w *Catalogue) {
	t.Helper()
	english := map[string]reflect.Value{}
	walk(reflect.ValueOf(English()).Elem(), "", func(name string, v reflect.Value) { english[name] = v })
	walk(reflect.ValueOf(w).Elem(), "", func(name string, v reflect.Value) {
		switch own := v.Interface().(type) {
		case string:
			checkSentence(t, w.Tag+" "+name, own, english[name].String(), false)
		case Plural:
			of := english[name].Interface().(Plural).Other
			for f, s := range map[string]string{"Zero": own.Zero, "One": own.One, "Two": own.Two, "Few": own.Few, "Many": own.Many, "Other": own.Other} {
				if s == "" && (f == "Other" || f == "One") {
					t.Errorf("%s %s has no form %s", w.Tag, name, f)
				}
				if s != "" {
					checkSentence(t, w.Tag+" "+name+"."+f, s, of, f != "Other")
				}
			}
		}
	})
}

// checkSentence compares a sentence with the English one. A form of a plural may
// leave the number out.
func checkSentence(t *testing.T, name, s, english string, plural bool) {
	t.Helper()
	got, want := verb.FindAllString(s, -1), verb.FindAllString(english, -1)
	if plural && len(got) == len(want)-1 && !slices.Contains(got, "%d") {
		want = want[1:]
	}
	switch {
	case s == "":
		t.Errorf("%s is empty", name)
	case !slices.Equal(got, want):
		t.Errorf("%s: %q speaks of %v, English of %v", name, s, got, want)
	case strings.Count(s, "%") != len(got):
		t.Errorf("%s: %q has a verb that nobody fills", name, s)
	case strings.HasSuffix(s, " "), strings.TrimLeft(s, " ") != s && strings.TrimLeft(english, " ") == english:
		t.Errorf("%s: %q begins or ends with a space", name, s)
	}
}

// TestEveryWordCanFail breaks a catalogue in each way.
func TestEveryWordCanFail(t *testing.T) {
	for name, broken := range map[string]string{"empty": "", "verb": "%s %d", "nobody fills": "%v", "space": "Waiting "} {
		sub := &testing.T{}
		checkSentence(sub, "broken", broken, "Waiting", false)
		if !sub.Failed() {
			t.Errorf("%s: %q passes", name, broken)
		}
	}
	w := german()
	w.Web.Skip = ""
	if complete(w).Web.Skip != English().Web.Skip {
		t.Error("English does not stand in")
	}
}

func TestAccept(t *testing.T) {
	for header, want := range map[string]string{
		"": "en", "de": "de", "de-CH,de;q=0.9,en;q=0.8": "de", "en;q=0.8, de;q=0.9": "de", "fr,de;q=0.4": "de", "fr": "en",
		"ar-EG": "ar", "de;q=0,ar;q=0.1": "ar", "*;q=0.5,de;q=0.4": "en", "de;q=nonsense,ar;q=0.1": "ar", "de;q=2,ar": "ar",
		"de;q=0.5;x=1, en;q=0.4": "en", ",,;;q=1,=": "en", "DE": "de",
	} {
		if got := Accept(header); got != want {
			t.Errorf("Accept(%q) = %s, want %s", header, got, want)
		}
	}
}

func TestFor(t *testing.T) {
	for tag, want := range map[string]string{"de": "de", "de_DE.UTF-8": "de", "de-AT": "de", "DE": "de", "": "en", "C": "en", "POSIX": "en", "den": "en", "ar_EG.utf8": "ar"} {
		if got := For(tag).Tag; got != want {
			t.Errorf("For(%q) is %s, want %s", tag, got, want)
		}
	}
}

// The forms for Arabic are those of Unicode (CLDR).
func TestForms(t *testing.T) {
	for n, want := range map[int]Form{0: FormZero, 1: FormOne, 2: FormTwo, 3: FormFew, 10: FormFew, 11: FormMany, 99: FormMany, 100: FormOther, 102: FormOther, 103: FormFew, 111: FormMany, 1000: FormOther} {
		if got := six(n); got != want {
			t.Errorf("%d: form %d, want %d", n, got, want)
		}
	}
}

// TestFormats compares times, dates, numbers and keys in every language with a
// golden file.
func TestFormats(t *testing.T) {
	berlin := time.FixedZone("Europe/Berlin", 3600)
	now := time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC) // already the 19th in Berlin
	for _, l := range Languages() {
		w := For(l.Tag)
		var b strings.Builder
		fmt.Fprintf(&b, "%s %s %s\n", w.Tag, w.Name, w.Dir)
		for _, d := range []time.Duration{0, time.Minute, 2 * time.Minute, 5 * time.Minute, 59 * time.Minute, time.Hour, 3 * time.Hour, 47 * time.Hour, 48 * time.Hour, 72*time.Hour - time.Minute, 11 * 24 * time.Hour, 100 * 24 * time.Hour} {
			fmt.Fprintf(&b, "%v: %s | %s | %s\n", d, w.Ago(d), w.Due(d), w.Duration(d))
		}
		for _, d := range []time.Duration{59*time.Minute + 40*time.Second, 9*time.Minute + 59700*time.Millisecond, 25*time.Hour + 30*time.Minute, 50 * time.Hour} {
			fmt.Fprintf(&b, "%v: %s\n", d, w.Duration(d))
		}
		for _, at := range []time.Time{now, now.Add(-24 * time.Hour), now.Add(9 * time.Hour), now.Add(24 * time.Hour), now.AddDate(0, -2, 0), now.AddDate(-1, 0, 0)} {
			fmt.Fprintf(&b, "%s: %s | %s\n", at.Format(time.RFC3339), w.When(at, now, berlin), w.When(at, now, time.UTC))
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", w.Number(1234567), w.Number(-1234), w.Decimal(1234.56, 1), w.Decimal(0.25, 2))
		fmt.Fprintf(&b, "%s, %s\n", w.Quote("x"), w.DateTime(now, berlin))
		for _, n := range []int{0, 1, 2, 3, 11, 100} {
			fmt.Fprintf(&b, "%d: %s | %s\n", n, w.Count(w.Inbox.SendAll, n), w.Count(w.Inbox.SameOthers, n))
		}
		for _, k := range w.KeyRows() {
			fmt.Fprintf(&b, "%s: %s\n", strings.Join(k.Keys, " "), k.Words)
		}
		golden(t, l.Tag+".txt", b.String())
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; after reading, run with -update. It is now:\n%s", file, got)
	}
}

// No key has two meanings, and every action has one.
func TestKeys(t *testing.T) {
	seen := map[string]Action{}
	for _, k := range Keys() {
		for _, key := range k.Keys {
			if other, ok := seen[key]; ok {
				t.Errorf("%s is %s and %s", key, other, k.Action)
			}
			seen[key] = k.Action
		}
	}
	for key, want := range map[string]Action{"1": ActionChoose, "0": "", "e": ActionLater, "esc": ActionBack} {
		if seen[key] != want {
			t.Errorf("%s is %q, want %q", key, seen[key], want)
		}
	}
	if got := Keys()[0].Browser(); !slices.Equal(got, []string{"j", "ArrowDown"}) {
		t.Errorf("the browser is given %q", got)
	}
}
