package main_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestEveryBinaryIsStaticAndSaysTheSameVersion(t *testing.T) {
	want := info(t, "linux", "amd64").Main.Version
	for _, p := range platforms {
		found := info(t, p[0], p[1])
		settings := map[string]string{}
		for _, s := range found.Settings {
			settings[s.Key] = s.Value
		}
		if settings["GOOS"] != p[0] || settings["GOARCH"] != p[1] || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
			t.Errorf("%v: %v", p, settings)
		}
		if found.Main.Version != want {
			t.Errorf("%v: version %s, want %s", p, found.Main.Version, want)
		}
	}
}

func TestEveryArchiveHasTheProgramItsLicenceAndCompletions(t *testing.T) {
	for _, p := range platforms {
		name := fmt.Sprintf("%s_*_%s_%s", program, p[0], p[1])
		var files []string
		want := []string{program, "LICENSE", "README.md", "CHANGELOG.md", "completions/" + program + ".bash", "completions/_" + program, "completions/" + program + ".fish"}
		if p[0] == "windows" {
			want[0] += ".exe"
			archive, err := zip.OpenReader(artefact(t, name+".zip"))
			check(t, err)
			for _, file := range archive.File {
				files = append(files, file.Name)
			}
			check(t, archive.Close())
		} else {
			files = strings.Fields(run(t, ".", "tar", "-tzf", artefact(t, name+".tar.gz")))
		}
		if !slices.Equal(files, want) {
			t.Errorf("%s: %q, want %q", name, files, want)
		}
	}
}

func TestTheUniversalBinaryHoldsBothOfMacOS(t *testing.T) {
	bundle, err := zip.OpenReader(artefact(t, program+"_*.mcpb"))
	check(t, err)
	defer func() { check(t, bundle.Close()) }()
	file, err := bundle.Open("server/darwin/" + program)
	check(t, err)
	var data bytes.Buffer
	_, err = data.ReadFrom(file)
	check(t, err)
	universal, err := macho.NewFatFile(bytes.NewReader(data.Bytes()))
	check(t, err)
	found := map[macho.Cpu]bool{}
	for _, part := range universal.Arches {
		found[part.Cpu] = true
		single := map[macho.Cpu]string{macho.CpuAmd64: "darwin-amd64", macho.CpuArm64: "darwin-arm64"}[part.Cpu]
		want, err := os.ReadFile(filepath.Join(dist(t), "build", single, program))
		check(t, err)
		if got := data.Bytes()[part.Offset : part.Offset+part.Size]; !bytes.Equal(got, want) || part.Offset%(1<<part.Align) != 0 {
			t.Errorf("%s: at %d, %d bytes that are not the binary's %d", single, part.Offset, len(got), len(want))
		}
	}
	if len(found) != 2 {
		t.Errorf("%v, want both", found)
	}
}

func TestTheChecksumsAreThoseOfAllFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(dist(t), "checksums.txt"))
	check(t, err)
	var want strings.Builder
	files, err := os.ReadDir(dist(t))
	check(t, err)
	for _, file := range files {
		if !file.IsDir() && file.Name() != "checksums.txt" {
			fmt.Fprintf(&want, "%s  %s\n", sum(t, file.Name()), file.Name())
		}
	}
	if string(text) != want.String() || len(files) < 20 {
		t.Errorf("%d files, and the sums\n%s\nwant\n%s", len(files), text, want.String())
	}
}

func sum(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dist(t), name))
	check(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

var formulaArchive = regexp.MustCompile(`url "[^"]*/releases/download/v([^/"]*)/([^"]*)"\n\s*sha256 "([0-9a-f]{64})"`)

func TestTheFormulaNamesTheArchivesAndTheirChecksums(t *testing.T) {
	formula := filepath.Join(dist(t), program+".rb")
	text, err := os.ReadFile(formula)
	check(t, err)
	found := formulaArchive.FindAllStringSubmatch(string(text), -1)
	if len(found) != 4 {
		t.Errorf("%d archives, want macOS and Linux on arm64 and amd64", len(found))
	}
	for _, match := range found {
		if match[1] != version(t) || sum(t, match[2]) != match[3] {
			t.Errorf("%q: want version %s and sum %s", match[1:], version(t), sum(t, match[2]))
		}
	}
	if _, err := exec.LookPath("ruby"); err != nil {
		t.Logf("ruby is not installed: the formula's syntax is not checked")
		return
	}
	run(t, ".", "ruby", "-c", formula)
}

func TestTheBillOfMaterialsNamesEveryModuleOfEveryBinary(t *testing.T) {
	file, err := os.Open(artefact(t, program+"_*.cdx.json"))
	check(t, err)
	defer file.Close()
	var bom cdx.BOM
	check(t, cdx.NewBOMDecoder(file, cdx.BOMFileFormatJSON).Decode(&bom))
	got := map[string]bool{}
	for _, c := range *bom.Components {
		got[c.PackageURL] = true
	}
	want := map[string]bool{}
	for _, p := range platforms {
		found := info(t, p[0], p[1])
		want["pkg:golang/std@"+strings.TrimPrefix(found.GoVersion, "go")] = true
		for _, module := range found.Deps {
			want["pkg:golang/"+module.Path+"@"+module.Version] = true
		}
	}
	for url := range want {
		if !got[url] {
			t.Errorf("%s is not in it", url)
		}
	}
	if len(got) != len(want) || len(*bom.Components) != len(want) || bom.Metadata.Component.Version != version(t) {
		t.Errorf("%d components of %s, want %d of %s", len(*bom.Components), bom.Metadata.Component.Version, len(want), version(t))
	}
}

var (
	dockerFrom = regexp.MustCompile(`(?m)^FROM node:\d+\.\d+\.\d+-[a-z]+-slim$`)
	dockerCopy = regexp.MustCompile(`(?m)^COPY --chmod=755 (\S+) /usr/local/bin/` + program + `$`)
)

// What import writes can be read by its owner alone, and the image's user is not that.
func TestTheGuideRunsTheContainerAsTheOwnerOfTheFile(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	check(t, err)
	started := regexp.MustCompile(`(?m)^docker run .*$`).FindString(guide(t))
	if !strings.Contains(string(text), "\nUSER node\n") || !strings.Contains(started, `--user "$(id -u):$(id -g)" --env HOME=`) {
		t.Errorf("a file of mode 0600 cannot be read by the image's user: %s", started)
	}
}

// No container engine runs where this is tested: what can be read is.
func TestTheContainerImageCopiesWhatIsBuiltOntoAPinnedBase(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	check(t, err)
	if !dockerFrom.Match(text) {
		t.Error("the base image is not of one version")
	}
	source := dockerCopy.FindSubmatch(text)
	if source == nil {
		t.Fatal("it copies no program")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		path := strings.ReplaceAll(string(source[1]), "${TARGETARCH}", arch)
		if _, err := os.Stat(filepath.Join(dist(t), path)); err != nil {
			t.Error(err)
		}
	}
}
