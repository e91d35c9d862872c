package natsstore

import (
	"errors"
	"fmt"
	"io"
)

// CheckBackup reads every file of a backup. It returns what the backup holds, and everything that is wrong with it. Restore
// refuses a backup with which anything is wrong.
func CheckBackup(dir BackupFolder) (*BackupReport, error) {
	b, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	return b.report(), errors.Join(b.damage(dir)...)
}

// BackupFiles returns the names of the files of a backup in the order in which Restore opens them.
func BackupFiles(from BackupSource) ([]string, error) {
	b, err := readManifest(from)
	if err != nil {
		return nil, err
	}
	all := []string{backupManifest}
	for _, f := range b.Files {
		all = append(all, f.Name)
	}
	for _, st := range b.Streams {
		all = append(all, st.file())
	}
	return all, nil
}

// damage reads every file that the manifest names and returns what is wrong.
func (b *backup) damage(dir BackupFolder) (all []error) {
	for _, f := range b.Files {
		if err := checkFile(dir, f.Name, f.Bytes, f.SHA256); err != nil {
			all = append(all, err)
		}
	}
	for _, st := range b.Streams {
		if err := checkFile(dir, st.file(), st.Bytes, st.SHA256); err != nil {
			all = append(all, err)
		}
	}
	return all
}

func checkFile(dir BackupFolder, name string, bytes int64, sum string) error {
	f, err := dir.Open(name)
	if err != nil {
		return fmt.Errorf("%s is missing: %w", name, err)
	}
	got := summing()
	_, err = io.Copy(got, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return got.is(name, bytes, sum)
}
