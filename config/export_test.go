package config

// What tests cannot bring about on every system and for every user.
var (
	NewEnvFor  = newEnv
	Unreadable = unreadable
)

// KnownMembers are the members of an entry that mean something.
var KnownMembers = knownMembers
