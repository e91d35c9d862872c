package mail

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Address is the address of a contact.
type Address struct {
	To string `json:"to"` // ann@example.com
}

// NewAddress returns the address of a person.
func NewAddress(to string) (*Address, error) {
	a, err := parse(to)
	if err != nil {
		return nil, err
	}
	return &Address{To: a.Address}, nil
}

// parse reads a mail address, with or without a name before it.
func parse(s string) (*mail.Address, error) {
	a, err := mail.ParseAddress(s)
	if err != nil || len(a.Address) > 254 || strings.ContainsFunc(a.Address, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' }) {
		return nil, fmt.Errorf("%q is not a mail address such as ann@example.com", s)
	}
	return a, nil
}

func parseAddress(raw json.RawMessage) (*mail.Address, error) {
	var a Address
	if json.Unmarshal(raw, &a) == nil {
		if to, err := parse(a.To); err == nil {
			return to, nil
		}
	}
	return nil, &notify.RetryError{Never: true, Err: errors.New("mail: the contact has no address: remove it and add it again")}
}
