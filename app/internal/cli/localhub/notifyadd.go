package localhub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/saysohq/sayso/app/surface/notify"
)

// noDevice says that a command names a device that is not there.
func noDevice(err error, r *http.Request) error {
	if errors.Is(err, notify.ErrNoContact) {
		return &OperatorError{fmt.Sprintf("no device or account %q", r.PathValue("id")), "Devices: sayso notify list."}
	}
	return err
}

func (n *notifying) add(w http.ResponseWriter, r *http.Request) {
	var d NewDevice
	if !readBody(w, r, &d) {
		return
	}
	added, err := n.added(r.Context(), &d)
	answerWith(w, added, err)
}

// added adds a device, or makes a code for an account that becomes one.
func (n *notifying) added(ctx context.Context, d *NewDevice) (*AddedDevice, error) {
	c := &notify.Contact{Tenant: Tenant, Person: d.Person, Kind: d.Kind, Name: d.Name, After: d.After, Detail: notify.DetailSender}
	if d.Detail != nil {
		c.Detail = *d.Detail
	}
	made := &AddedDevice{}
	if err := n.complete(ctx, d, c, made); err != nil {
		return nil, err
	}
	if made.Code != "" {
		return made, nil
	}
	c, err := n.Add(ctx, c)
	if errors.Is(err, notify.ErrNoChannel) {
		return nil, &OperatorError{fmt.Sprintf("this hub sends no notifications by %s", d.Kind), "Kinds: sayso notify add --help."}
	}
	if err != nil {
		return nil, err
	}
	made.Device = deviceOf(c)
	return made, nil
}

// ownerOnly refuses what is a device of the machine's owner for anybody else.
func ownerOnly(d *NewDevice) error {
	if d.Person != "" {
		return &OperatorError{fmt.Sprintf("a %s of this machine is a device of its owner only, and not of %q", d.Kind, d.Person), "Leave out --person."}
	}
	return nil
}

// name gives a contact the name that the person chose, or this one.
func name(c *notify.Contact, text string) { c.Name = cmp.Or(c.Name, text) }

// addressed gives a contact the address that its channel reads.
func addressed(c *notify.Contact, a any) error {
	b, err := json.Marshal(a)
	c.Address = b
	return err
}
