package till

import (
	"os"
	"testing"
)

func TestReceipt(t *testing.T) {
	t.Run("tax", func(t *testing.T) {
		if got := Receipt(100); got != "Total: 120\n" {
			t.Errorf("the receipt says %q", got)
		}
	})
	t.Run("none", func(t *testing.T) {
		if os.Getenv("SHOP_ON") != "" {
			t.Error("no mutant is on")
		}
		if got := Receipt(0); got != "Total: 0\n" {
			t.Errorf("the receipt for nothing says %q", got)
		}
	})
}

func TestBroken(t *testing.T) { t.Error("this test always fails") }

func TestSkipped(t *testing.T) { t.Skip("this test never runs") }

// TestHere reads a file of its folder, and wants what its caller says.
func TestHere(t *testing.T) {
	if _, err := os.Stat("receipt.txt"); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SHOP_ALL") != "open" || os.Getenv("SHOP_ONE") != "yes" || os.Getenv("SHOP_ON") != "yes" || !testing.Short() {
		t.Fatalf("the shop is %q, %q", os.Getenv("SHOP_ALL"), os.Getenv("SHOP_ONE"))
	}
	if got := Receipt(0); got != "Total: 0\n" {
		t.Errorf("the receipt for nothing says %q", got)
	}
}
