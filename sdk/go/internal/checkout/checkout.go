// Package checkout is about what lies beside the SDK in its repository: the protocol that its generated code is made from, and
// the first bot. Its tests need a checkout; `make test-go` runs them.
package checkout

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
)

// Stale names the generated files that differ between two folders: changed, missing, or there without being made.
func Stale(made, committed string) ([]string, error) {
	madeFiles, err := filesIn(made)
	if err != nil {
		return nil, err
	}
	committedFiles, err := filesIn(committed)
	if err != nil {
		return nil, err
	}
	var stale []string
	for name, content := range madeFiles {
		if other, isThere := committedFiles[name]; !isThere || !bytes.Equal(content, other) {
			stale = append(stale, name)
		}
	}
	for name := range committedFiles {
		if _, isMade := madeFiles[name]; !isMade {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	return stale, nil
}

func filesIn(folder string) (map[string][]byte, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = content
	}
	return files, nil
}
