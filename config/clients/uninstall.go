package clients

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"mcp-aggregator/config"
)

// ErrNotInstalled is returned by Uninstall if there is no entry with the key.
var ErrNotInstalled = errors.New("there is no such entry")

// Uninstall returns the client's file without the entry, and the mcpServers file that the
// entry named. It uses Command only to recognize this program; an entry that starts
// another server is an error.
func (in Installation) Uninstall(data []byte) (out []byte, served string, err error) {
	doc, err := parse(in.File, data)
	if err != nil {
		return nil, "", err
	}
	servers, err := doc.findObject(&doc.root, in.Client.Servers)
	if err != nil {
		return nil, "", err
	}
	if servers == nil {
		return nil, "", ErrNotInstalled
	}
	m, err := doc.findMember(servers, in.Key)
	switch {
	case err != nil:
		return nil, "", err
	case m == nil:
		return nil, "", ErrNotInstalled
	}
	command, args := programOf(&m.Value)
	if !startsAggregator(command, args, in.Command) {
		return nil, "", doc.problemAt(m.Name.StartOffset,
			fmt.Sprintf("%s: this is another server, not %s; choose the entry with --key", jsonPath(in.Client.Servers, in.Key), Program))
	}
	text, err := doc.removeMembers(servers, map[string]bool{in.Key: true})
	if err != nil {
		return nil, "", err
	}
	return doc.withBOM(text), configFlag(args), nil
}

// Restoration moves servers back to the client's file.
type Restoration struct {
	Installation

	System System
	Folder string       // of the project whose file it is; "" otherwise
	Ours   *config.File // the file that they were moved to
	Name   string       // of that file
}

// RestorationResult has the client's file after a [Restoration].
type RestorationResult struct {
	Client []byte
	Keys   []string // of the restored servers
	Notes  []Line
}

// Restore adds to the client's file, data, the servers of our file that it lacks, in the
// form that they have in the backups of the file at path. If a backup differs from data
// by these servers alone, the result is that backup.
func (r Restoration) Restore(path string, data []byte) (RestorationResult, error) {
	restored := RestorationResult{Client: data}
	for _, backup := range backups(path) {
		before, err := Read(backup)
		if err != nil {
			continue
		}
		if without, _, err := r.Uninstall(before); err == nil {
			before = without
		}
		out, keys, err := r.restoreFrom(restored.Client, before)
		if err != nil {
			return RestorationResult{}, err
		}
		restored.Client, restored.Keys = out, append(restored.Keys, keys...)
		restored.Notes = append(restored.Notes, r.changedNotes(before, keys)...)
	}
	return restored, nil
}

// restoreFrom adds to data the missing servers of one backup.
func (r Restoration) restoreFrom(data, before []byte) (out []byte, keys []string, err error) {
	doc, err := parse(r.File, data)
	if err != nil {
		return nil, nil, err
	}
	was, err := parse(r.File, before)
	if err != nil {
		return data, nil, nil //nolint:nilerr // a backup that is not JSON is ignored
	}
	there, err := doc.findObject(&doc.root, r.Client.Servers)
	if err != nil {
		return nil, nil, err
	}
	old, err := was.findObject(&was.root, r.Client.Servers)
	if err != nil || old == nil {
		return data, nil, nil //nolint:nilerr // so is one without servers
	}
	added, drop := r.missingServers(was, old, there)
	if len(added) == 0 {
		return data, nil, nil
	}
	for _, f := range added {
		keys = append(keys, f.name)
	}
	if rest, err := was.removeMembers(old, drop); err == nil && r.isInstallResidue(was.withBOM(rest), data) {
		return before, keys, nil
	}
	out, err = r.insertServers(doc, added)
	return out, keys, err
}

// isInstallResidue reports whether data is rest after an install and an uninstall, which
// may lose white space.
func (r Restoration) isInstallResidue(rest, data []byte) bool {
	entry := r.Installation
	entry.Command = cmp.Or(entry.Command, "/"+Program)
	installed, err := entry.Install(rest)
	if err != nil {
		return false
	}
	left, _, err := entry.Uninstall(installed)
	return err == nil && (bytes.Equal(left, data) || bytes.Equal(rest, data))
}

// missingServers returns the servers of old that are in our file but not in there, the
// client's object of servers.
func (r Restoration) missingServers(was *document, old, there *hujson.Value) (added []field, drop map[string]bool) {
	drop = make(map[string]bool)
	for _, m := range membersOf(old) {
		key := nameOf(m)
		has := func(other hujson.ObjectMember) bool { return nameOf(other) == key }
		moved := slices.ContainsFunc(r.Ours.Servers, func(e config.Entry) bool { return e.Key == key })
		if !moved || drop[key] || there != nil && slices.ContainsFunc(membersOf(there), has) {
			continue
		}
		drop[key] = true
		added = append(added, field{key, was.text[m.Value.StartOffset:m.Value.EndOffset]})
	}
	return added, drop
}

func (r Restoration) insertServers(doc *document, added []field) ([]byte, error) {
	root, err := doc.findMember(&doc.root, r.Client.Servers)
	if err != nil {
		return nil, err
	}
	var splices []splice
	if root == nil {
		splices = doc.insertMembers(&doc.root, "", []field{{r.Client.Servers, added}})
	} else {
		splices = doc.insertMembers(&root.Value, indentOf(root.Name.BeforeExtra), added)
	}
	text := applySplices(doc.text, splices)
	if _, err := parse(r.File, text); err != nil {
		return nil, r.problem("layout of the file is not understood; put the servers back by hand")
	}
	return doc.withBOM(text), nil
}

// changedNotes returns a note for each restored server that was changed in our file after
// it had moved.
func (r Restoration) changedNotes(before []byte, keys []string) (notes []Line) {
	found := Collection{System: System{GOOS: r.System.GOOS, Lookup: r.System.Lookup}, Self: r.Command}
	if len(keys) == 0 || found.Add(r.Client, r.Folder, r.File, before) != nil {
		return nil
	}
	for _, entry := range r.Ours.Servers {
		server, ok := found.findServer(entry.Key)
		if ok && slices.Contains(keys, entry.Key) && !server.startsAlike(Server{Entry: entry}) {
			notes = append(notes, Line{
				r.File, jsonPath(r.Client.Servers, entry.Key),
				fmt.Sprintf("it is restored as it was before the move; %s has a changed version", r.Name),
			})
		}
	}
	return notes
}
