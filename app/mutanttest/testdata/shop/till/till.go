// Package till is a module that imports another one by its folder.
package till

import (
	_ "embed"
	"fmt"

	"example.com/shop"
)

//go:embed receipt.txt
var receipt string

// Receipt says what to pay.
func Receipt(net int) string {
	cents := shop.Discount(shop.Gross(net))
	return fmt.Sprintf(receipt, cents)
}
