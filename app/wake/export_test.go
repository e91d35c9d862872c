package wake

// Environment is environment, for tests.
func Environment(all []string) []string { return environment(all) }
