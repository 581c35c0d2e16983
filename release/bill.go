package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"runtime/debug"
	"slices"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials: the modules that are linked into any of the
// binaries, as the binaries themselves say, and the standard library.
func (r *release) bill() error {
	components := map[string]cdx.Component{}
	for _, p := range platforms {
		info, err := buildinfo.ReadFile(r.binaries[p])
		if err != nil {
			return err
		}
		std := &debug.Module{Path: "std", Version: info.GoVersion[len("go"):]}
		for _, module := range append(info.Deps, std) {
			c := component(module)
			components[c.PackageURL] = c
		}
	}
	var file bytes.Buffer
	if err := cdx.NewBOMEncoder(&file, cdx.BOMFileFormatJSON).SetPretty(true).Encode(r.bom(components)); err != nil {
		return err
	}
	return r.write(program+"_"+r.version+".cdx.json", file.Bytes())
}

func component(module *debug.Module) cdx.Component {
	if module.Replace != nil {
		module = module.Replace
	}
	url := "pkg:golang/" + module.Path + "@" + module.Version
	return cdx.Component{
		Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: module.Path, Version: module.Version,
		PackageURL: url, Scope: cdx.ScopeRequired,
	}
}

func (r *release) bom(components map[string]cdx.Component) *cdx.BOM {
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.made.UTC().Format("2006-01-02T15:04:05Z"),
		Component: &cdx.Component{
			Type: cdx.ComponentTypeApplication, BOMRef: program, Name: program, Version: r.version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: license}}},
		},
	}
	all, refs := []cdx.Component{}, []string{}
	for _, c := range components {
		all = append(all, c)
		refs = append(refs, c.BOMRef)
	}
	slices.SortFunc(all, func(a, b cdx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	slices.Sort(refs)
	bom.Components = &all
	bom.Dependencies = &[]cdx.Dependency{{Ref: program, Dependencies: &refs}}
	return bom
}
