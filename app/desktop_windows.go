package app

import (
	"strings"

	"golang.org/x/sys/windows/registry"
)

// desktopEnviron is what environ would be under a desktop application: what the
// session sets for everyone, and the registry's variables of the system and of
// the user, as the Explorer gives them to what it starts. Of two with one name
// the user's counts, but for Path, which is both:
// learn.microsoft.com/windows/win32/procthread/environment-variables.
func desktopEnviron(environ []string) []string {
	system := variablesOf(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Control\Session Manager\Environment`)
	user := variablesOf(registry.CURRENT_USER, `Environment`)
	if len(system) == 0 { // it could not be read
		return environ
	}
	session := []string{"PATH=" + strings.Trim(system["PATH"]+";"+user["PATH"], ";")}
	for _, variables := range []map[string]string{user, system} {
		for name, value := range variables {
			session = append(session, name+"="+value) // the first of a name counts
		}
	}
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); sessionSets(strings.ToUpper(name)) {
			session = append(session, entry)
		}
	}
	return session
}

// sessionSets reports whether Windows sets a variable at each logon.
func sessionSets(name string) bool {
	switch name {
	case "APPDATA", "COMPUTERNAME", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "LOGONSERVER", "PROGRAMDATA",
		"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "PUBLIC", "SYSTEMDRIVE", "SYSTEMROOT",
		"USERDOMAIN", "USERNAME", "USERPROFILE", "ALLUSERSPROFILE", "COMMONPROGRAMFILES":
		return true
	}
	return false
}

// variablesOf returns the variables of a key, by their names in capitals.
func variablesOf(root registry.Key, path string) map[string]string {
	variables := make(map[string]string)
	key, err := registry.OpenKey(root, path, registry.QUERY_VALUE)
	if err != nil {
		return variables
	}
	defer key.Close()
	names, _ := key.ReadValueNames(0) // as many as could be read
	for _, name := range names {
		value, kind, err := key.GetStringValue(name)
		if err != nil {
			continue
		}
		if kind == registry.EXPAND_SZ {
			if expanded, err := registry.ExpandString(value); err == nil {
				value = expanded
			}
		}
		variables[strings.ToUpper(name)] = value
	}
	return variables
}
