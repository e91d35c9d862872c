package natsserver

// WithoutSync makes a server acknowledge before its writes are on the disk. Only tests that must lose records see it.
func WithoutSync(o *Options) { o.noSync = true }

// WithoutCheck makes a server open its store unread. Only tests that must miss damage see it.
func WithoutCheck(o *Options) { o.noCheck = true }

// Advertised is how a node tells the others to reach it.
func Advertised(c *ClusterOptions) string { return c.advertised() }
