package telegram

// Unpaced has the channel send as fast as it can.
func Unpaced(c *Channel) *Channel {
	c.pace.free = true
	return c
}
