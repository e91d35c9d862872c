package ntfy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
)

// Address is the address of a contact.
type Address struct {
	Server  string `json:"server"` // https://ntfy.example.com
	Topic   string `json:"topic"`
	Token   string `json:"token,omitempty"`   // of the hub at the server; empty: none
	Answers string `json:"answers,omitempty"` // the topic for answers; empty: there are none
}

var topicName = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

// ParseURL returns the address of a topic, as in https://ntfy.example.com/topic.
func ParseURL(text string) (*Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a topic, such as https://ntfy.example.com/topic", text)
	}
	topic := strings.TrimPrefix(u.Path, "/")
	if u.RawQuery != "" || u.Fragment != "" || !topicName.MatchString(topic) {
		return nil, fmt.Errorf("%q does not end in the name of a topic: up to 64 letters, digits, - and _", text)
	}
	return &Address{Server: u.Scheme + "://" + strings.ToLower(u.Host), Topic: topic}, nil
}

// Check says what is wrong with an address. The options are those of the client that
// will send; nil means the defaults.
func (a *Address) Check(o *outbound.Options) error {
	u, err := url.Parse(a.Server)
	if err != nil || u.Path != "" || u.RawQuery != "" {
		return fmt.Errorf("%q is not the address of an ntfy server", a.Server)
	}
	if err := outbound.CheckURL(a.Server, o); err != nil {
		return err
	}
	switch {
	case !topicName.MatchString(a.Topic), a.Answers != "" && !topicName.MatchString(a.Answers):
		return errors.New("the name of a topic has up to 64 letters, digits, - and _")
	case strings.ContainsFunc(a.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("a token has no spaces and no line ends: copy it again")
	case a.Answers == "":
		return nil
	case a.Answers == a.Topic:
		return errors.New("the topic for answers must be another one: whoever reads the questions could answer them")
	case a.Public():
		return errors.New("everybody can read the topics of ntfy.sh, so they cannot take answers: use a server of your own with access control")
	case a.Token == "":
		return errors.New("a topic for answers needs a token: without access control, everybody could answer")
	}
	return nil
}

// Public reports whether everybody can read the topics of the server.
func (a *Address) Public() bool {
	u, err := url.Parse(a.Server)
	return err != nil || u.Hostname() == "ntfy.sh" || strings.HasSuffix(u.Hostname(), ".ntfy.sh")
}

// account is what [notify.Desk] knows the contact by: whoever can read the one topic
// and write to the other.
func (a *Address) account() string {
	if a.Answers == "" {
		return ""
	}
	return a.Server + "/" + a.Topic + " " + a.Answers
}

// Detail is how much the lock screen shows if the person says nothing else.
func (a *Address) Detail() notify.Detail {
	if a.Public() {
		return notify.DetailCount
	}
	return notify.DetailSender
}

// Fill gives a contact the address, and what follows from it. The caller sets its
// detail.
func (a *Address) Fill(c *notify.Contact) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	c.Kind, c.Address, c.Account, c.Assurance = notify.Ntfy, raw, a.account(), sayso.AssuranceLocal
	if c.Account != "" {
		c.Assurance = sayso.AssuranceKey
	}
	if c.Name == "" {
		c.Name = "ntfy at " + strings.TrimPrefix(strings.TrimPrefix(a.Server, "https://"), "http://")
	}
	return nil
}

func parseAddress(raw json.RawMessage) (*Address, error) {
	var a Address
	if json.Unmarshal(raw, &a) != nil || a.Server == "" || a.Topic == "" {
		return nil, &notify.RetryError{Never: true, Err: errors.New("ntfy: the contact has no address: remove it and add it again")}
	}
	return &a, nil
}
