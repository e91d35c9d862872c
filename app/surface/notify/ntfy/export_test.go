package ntfy

// TellAlways makes the channel reply to every press that is of no use.
func TellAlways(c *Channel) { c.often = 0 }
