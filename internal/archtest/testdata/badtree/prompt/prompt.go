// Package prompt asks for a package that does not exist.
package prompt

import _ "github.com/saysohq/sayso/cellar" // want package
