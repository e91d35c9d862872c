package setup

// Update is the flag that rewrites golden files.
var Update = update
