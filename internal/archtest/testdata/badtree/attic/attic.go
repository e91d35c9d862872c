// Package attic was never drawn.
package attic // want package
