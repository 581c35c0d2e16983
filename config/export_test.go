package config

// Functions whose cases do not occur on every system and for every user.
var (
	NewEnvFor  = newEnv
	Unreadable = unreadable
)

// KnownMembers are the members of an entry that have a meaning.
var KnownMembers = knownMembers
