package slacktest

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf16"
)

// Message is a message as the person sees it.
type Message struct {
	Channel, TS, User string

	Text    string // what the lock screen shows, without escapes
	Shown   string // the text in the conversation
	Buttons []Button
	Markup  []string // whatever Slack would not show as plain text
	Edits   int
	Deleted bool
}

// Button is a button of a message.
type Button struct {
	Label, Value, URL, Style string

	block, action string
}

// Button returns the button with the label, or with a label that has it in it.
func (m *Message) Button(label string) (Button, bool) {
	for _, b := range m.Buttons {
		if b.Label == label {
			return b, true
		}
	}
	for _, b := range m.Buttons {
		if strings.Contains(b.Label, label) {
			return b, true
		}
	}
	return Button{}, false
}

// textObject is a text object.
type textObject struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji"`
	Verbatim *bool  `json:"verbatim"`
}

var (
	control = regexp.MustCompile(`<[!@#]?[^<>\s][^<>]*>`)
	emoji   = regexp.MustCompile(`:[a-z0-9_+-]+:`)
	styled  = regexp.MustCompile("[*_~`]")
)

// units is the length of a text, as long as Slack can count it.
func units(s string) int { return len(utf16.Encode([]rune(escape(s)))) }

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// check says what is wrong with a text object, and what in it is not plain text.
func (t *textObject) check(most int, plain bool) (markup []string, err *refusal) {
	switch {
	case t == nil:
		return nil, refuse("invalid_blocks", "missing text")
	case t.Text == "":
		return nil, refuse("invalid_blocks", "must be more than 0 characters")
	case units(t.Text) > most:
		return nil, refuse("invalid_blocks", "must be less than %d characters", most+1)
	case t.Type == "mrkdwn" && plain, t.Type != "mrkdwn" && t.Type != "plain_text":
		return nil, refuse("invalid_blocks", "unsupported type: %s", t.Type)
	case t.Type == "mrkdwn" && t.Emoji != nil, t.Type == "plain_text" && t.Verbatim != nil:
		return nil, refuse("invalid_blocks", "a field that this type does not have")
	}
	if t.Type == "mrkdwn" {
		markup = append(markup, "mrkdwn: "+t.Text)
		markup = append(markup, control.FindAllString(t.Text, -1)...)
	} else if t.Emoji == nil || *t.Emoji {
		markup = append(markup, emoji.FindAllString(t.Text, -1)...)
	}
	return markup, nil
}

type blockObject struct {
	Type     string          `json:"type"`
	BlockID  string          `json:"block_id"`
	Text     *textObject     `json:"text"`
	Elements []elementObject `json:"elements"`
	Label    *textObject     `json:"label"`
	Element  *elementObject  `json:"element"`
}

type elementObject struct {
	Type      string      `json:"type"`
	ActionID  string      `json:"action_id"`
	Text      *textObject `json:"text"`
	Value     *string     `json:"value"`
	URL       *string     `json:"url"`
	Style     *string     `json:"style"`
	Multiline *bool       `json:"multiline"`
	MaxLength *int        `json:"max_length"`
	Focus     *bool       `json:"focus_on_load"`
}

// drawn is a list of blocks as it is seen.
type drawn struct {
	shown   []string
	buttons []Button
	markup  []string
	inputs  []string // block ids
	total   int
}

// draw checks blocks.
func draw(raw json.RawMessage, most int, modal bool) (*drawn, *refusal) {
	var blocks []blockObject
	if err := strict(raw, &blocks); err != nil {
		return nil, refuse("invalid_blocks", "%s", err.detail)
	}
	if len(blocks) > most {
		return nil, refuse("invalid_blocks", "no more than %d items allowed", most)
	}
	d, ids := new(drawn), map[string]bool{}
	for _, b := range blocks {
		if len(b.BlockID) > 255 || b.BlockID != "" && ids[b.BlockID] {
			return nil, refuse("invalid_blocks", "block_id %q is too long, or there twice", b.BlockID)
		}
		ids[b.BlockID] = true
		d.total += 60 // what Slack adds for a block; it does not say how much
		if err := d.block(&b, modal); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (d *drawn) block(b *blockObject, modal bool) *refusal {
	switch {
	case b.Type == "section" && b.Elements == nil && b.Label == nil && b.Element == nil:
		markup, err := b.Text.check(3000, false)
		if err != nil {
			return err
		}
		d.markup = append(d.markup, markup...)
		d.shown = append(d.shown, b.Text.Text)
		d.total += units(b.Text.Text)
	case b.Type == "actions" && b.Text == nil && b.Label == nil && b.Element == nil:
		if len(b.Elements) == 0 || len(b.Elements) > 25 {
			return refuse("invalid_blocks", "elements: 1 to 25 items")
		}
		ids := map[string]bool{}
		for i := range b.Elements {
			e := &b.Elements[i]
			if ids[e.ActionID] {
				return refuse("invalid_blocks", "action_id %q is there twice", e.ActionID)
			}
			ids[e.ActionID] = true
			if err := d.button(b.BlockID, e); err != nil {
				return err
			}
		}
	case b.Type == "input" && modal && b.Text == nil && b.Elements == nil:
		if _, err := b.Label.check(2000, true); err != nil {
			return err
		}
		e := b.Element
		if e == nil || e.Type != "plain_text_input" || e.Text != nil || e.Value != nil || e.URL != nil || e.Style != nil ||
			e.MaxLength != nil && (*e.MaxLength < 1 || *e.MaxLength > 3000) || e.ActionID == "" || len(e.ActionID) > 255 {
			return refuse("invalid_blocks", "not a field to type in")
		}
		d.shown = append(d.shown, b.Label.Text)
		d.inputs = append(d.inputs, b.BlockID)
	default:
		return refuse("invalid_blocks", "unsupported block, or a field that it does not have: %s", b.Type)
	}
	return nil
}

func (d *drawn) button(block string, e *elementObject) *refusal {
	if e.Type != "button" || e.Multiline != nil || e.MaxLength != nil || e.Focus != nil {
		return refuse("invalid_blocks", "unsupported element: %s", e.Type)
	}
	markup, err := e.Text.check(75, true)
	if err != nil {
		return err
	}
	d.markup = append(d.markup, markup...)
	d.total += units(e.Text.Text)
	b := Button{Label: e.Text.Text, block: block, action: e.ActionID}
	switch {
	case e.ActionID == "" || len(e.ActionID) > 255:
		return refuse("invalid_blocks", "action_id")
	case e.Value != nil && (*e.Value == "" || units(*e.Value) > 2000):
		return refuse("invalid_blocks", "value")
	case e.URL != nil && (!strings.HasPrefix(*e.URL, "http://") && !strings.HasPrefix(*e.URL, "https://") || units(*e.URL) > 3000):
		return refuse("invalid_blocks", "invalid url")
	case e.Style != nil && *e.Style != "primary" && *e.Style != "danger":
		return refuse("invalid_blocks", "style")
	}
	for from, to := range map[*string]*string{e.Value: &b.Value, e.URL: &b.URL, e.Style: &b.Style} {
		if from != nil {
			*to = *from
		}
	}
	d.buttons = append(d.buttons, b)
	return nil
}

// draw checks a message and says how it looks.
func (m *Message) draw(in *posted) *refusal {
	m.Text = unescape(in.Text)
	m.Markup = append(m.Markup, control.FindAllString(in.Text, -1)...)
	if in.Mrkdwn == nil && len(in.Blocks) == 0 || in.Mrkdwn != nil && *in.Mrkdwn {
		m.Markup = append(m.Markup, styled.FindAllString(in.Text, -1)...)
	}
	if in.LinkNames || in.Parse != "" && in.Parse != "none" {
		m.Markup = append(m.Markup, "looks for names")
	}
	if len(in.Blocks) == 0 {
		if m.Shown = m.Text; m.Text == "" {
			return refuse("no_text", "")
		}
		return nil
	}
	d, err := draw(in.Blocks, 50, false)
	if err != nil {
		return err
	}
	if d.total > 12_000 {
		return refuse("msg_blocks_too_long", "")
	}
	m.Shown, m.Buttons, m.Markup = strings.Join(d.shown, "\n"), d.buttons, append(m.Markup, d.markup...)
	return nil
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s)
}
