package check

import (
	"strings"

	"golang.org/x/sys/windows/registry"

	"mcp-aggregator/modules/doctor"
)

// desktopEnviron returns environ as a desktop application would pass it on. Explorer
// gives programs the PATH of the registry, the system's and the user's:
// learn.microsoft.com/windows/win32/procthread/environment-variables.
func desktopEnviron(environ []string) []string {
	system := variablesOf(registry.LOCAL_MACHINE, `SYSTEM\CurrentControlSet\Control\Session Manager\Environment`)
	user := variablesOf(registry.CURRENT_USER, `Environment`)
	if len(system) == 0 { // the registry could not be read
		return environ
	}
	return doctor.DesktopEnviron("windows", environ, strings.Trim(system["PATH"]+";"+user["PATH"], ";"))
}

// variablesOf returns the variables of a registry key, by their names in upper case.
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
