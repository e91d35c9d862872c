package slack

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

// The limits of Slack, in characters and pieces.
const (
	textMax   = 3000 // of a text object in a section
	labelMax  = 75   // of a button
	valueMax  = 2000 // of what a button carries
	urlMax    = 3000
	elements  = 25 // in an actions block
	blocksMax = 50
	wordsMax  = 3000 // that can be typed into a form
	metaMax   = 3000 // of what a form carries
)

// message is the body of chat.postMessage, chat.update and chat.delete.
type message struct {
	Channel string  `json:"channel"`
	TS      string  `json:"ts,omitempty"`
	User    string  `json:"user,omitempty"`
	Text    string  `json:"text,omitempty"`
	Blocks  []block `json:"blocks,omitempty"`

	// Nothing in the text is looked at for names and addresses. The default of
	// chat.update is to do so.
	Parse     string `json:"parse,omitempty"`
	LinkNames *bool  `json:"link_names,omitempty"`

	Mrkdwn      *bool `json:"mrkdwn,omitempty"`
	UnfurlLinks *bool `json:"unfurl_links,omitempty"`
	UnfurlMedia *bool `json:"unfurl_media,omitempty"`
}

// block is a section, a row of buttons, or a field to type in.
type block struct {
	Type     string    `json:"type"`
	BlockID  string    `json:"block_id,omitempty"`
	Text     *text     `json:"text,omitempty"`
	Elements []element `json:"elements,omitempty"`
	Label    *text     `json:"label,omitempty"`
	Element  *element  `json:"element,omitempty"`
}

// element is a button, or a text field.
type element struct {
	Type      string `json:"type"`
	ActionID  string `json:"action_id"`
	Text      *text  `json:"text,omitempty"`
	Value     string `json:"value,omitempty"`
	URL       string `json:"url,omitempty"`
	Style     string `json:"style,omitempty"`
	Multiline bool   `json:"multiline,omitempty"`
	MaxLength int    `json:"max_length,omitempty"`
	Focus     bool   `json:"focus_on_load,omitempty"`
}

// text is a text object. There is no way here to make one of mrkdwn.
type text struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji bool   `json:"emoji"` // false: ":tada:" stays text
}

func plain(s string) *text { return &text{Type: "plain_text", Text: s} }

// size is how Slack may count a text: in units of UTF-16, with the three characters
// that it stores as entities as long as those. It counts no less than Slack can.
func size(s string) int {
	n := 0
	for _, r := range s {
		n += width(r)
	}
	return n
}

func width(r rune) int {
	switch {
	case r == '&':
		return len("&amp;")
	case r == '<', r == '>':
		return len("&lt;")
	case r > 0xffff:
		return 2
	}
	return 1
}

// clip shortens a label to what Slack takes.
func clip(s string, most int) string {
	if size(s) <= most {
		return s
	}
	head, _ := split(s, most-1)
	return head + "…"
}

// split cuts the most that fits off a text, between two runes.
func split(s string, most int) (head, tail string) {
	n := 0
	for i, r := range s {
		if n += width(r); n > most {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// sections are a text as blocks, cut at the ends of lines where that is possible.
func sections(s string) []block {
	var all []block
	for s != "" {
		head, tail := split(s, textMax)
		if i := strings.LastIndexByte(head, '\n'); tail != "" && i > len(head)/2 {
			head, tail = s[:i], s[i+1:]
		}
		if strings.TrimSpace(head) != "" { // Slack takes no empty text
			all = append(all, block{Type: "section", Text: plain(head)})
		}
		s = tail
	}
	return all
}

// escape makes a text safe where Slack reads mrkdwn: no mention, no link.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.ToValidUTF8(s, "\ufffd"))
}

// glance is what a lock screen shows of a note, and says in place of the blocks.
func glance(n *notify.Note) string {
	s := n.Title
	if n.Body != "" && n.Body != n.Title {
		s += "\n" + n.Body
	}
	return escape(clip(s, textMax))
}

// draw is the note as a message, without where it goes.
func draw(n *notify.Note) *message {
	show := n.Text
	if show == "" {
		show = n.Title
		if n.Body != "" {
			show += "\n" + n.Body
		}
	}
	blocks := sections(show)
	var rows []block
	for i, b := range n.Buttons {
		e := element{Type: "button", ActionID: "b" + strconv.Itoa(i), Text: plain(clip(label(b.Label), labelMax)), Value: b.Data, URL: b.URL}
		if b.Danger {
			e.Style = "danger"
		}
		if size(e.Value) > valueMax || size(e.URL) > urlMax {
			continue // the address of the inbox is in no danger of that
		}
		if last := len(rows) - 1; last < 0 || len(rows[last].Elements) == elements {
			rows = append(rows, block{Type: "actions", BlockID: "r" + strconv.Itoa(len(rows))})
		}
		row := &rows[len(rows)-1]
		row.Elements = append(row.Elements, e)
	}
	if most := blocksMax - len(rows); len(blocks) > most {
		blocks = blocks[:most]
	}
	return &message{Text: glance(n), Blocks: append(blocks, rows...), Parse: "none", LinkNames: new(bool)}
}

// label is what a button says: one line, and something.
func label(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return "…"
	}
	return s
}

// view is a form.
type view struct {
	Type       string  `json:"type"`
	CallbackID string  `json:"callback_id"`
	Title      *text   `json:"title"`
	Submit     *text   `json:"submit"`
	Close      *text   `json:"close"`
	Metadata   string  `json:"private_metadata"`
	Blocks     []block `json:"blocks"`
}

// field names the block and the element of the form that has the own words.
const field = "words"

// form asks for own words, and shows the question again.
func form(w *notify.Words) *view {
	show := w.Text
	if show == "" {
		show = w.Title
	}
	if !utf8.ValidString(show) {
		show = strings.ToValidUTF8(show, "\ufffd")
	}
	title, send, label := "Answer", "Send", "In your own words"
	if w.Deny {
		title, send, label = "Deny", "Deny", "What the agent is told"
	}
	return &view{
		Type: "modal", CallbackID: field, Title: plain(title), Submit: plain(send), Close: plain("Cancel"),
		Metadata: w.Token,
		Blocks: append(sections(show), block{Type: "input", BlockID: field, Label: plain(label),
			Element: &element{Type: "plain_text_input", ActionID: field, Multiline: true, MaxLength: wordsMax, Focus: true}}),
	}
}
