package charttest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// pods are those of a rendered chart, run by podman on a network of their own as a
// kubelet would run them: the same image, arguments, environment, mounts and
// restrictions.
type pods struct {
	t       *testing.T
	network string
	names   []string
	hosts   []string // more names for --add-host
}

func newPods(t *testing.T, network string) *pods {
	t.Helper()
	if os.Getenv("SAYSO_PODS") == "" {
		t.Skip("SAYSO_PODS is not set; see deploy/check")
	}
	p := &pods{t: t, network: network}
	p.remove()
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range p.names {
				out, _ := exec.Command("podman", "logs", name).CombinedOutput()
				t.Logf("%s:\n%s", name, out)
			}
		}
		p.remove()
	})
	podman(t, "network", "create", network)
	return p
}

func (p *pods) remove() {
	out, _ := exec.Command("podman", "ps", "-aq", "--filter", "label=chart="+p.network).Output()
	for _, id := range strings.Fields(string(out)) {
		exec.Command("podman", "rm", "-f", "-v", id).Run()
	}
	exec.Command("podman", "network", "rm", "-f", p.network).Run()
}

// podman runs a command and returns what it prints.
func podman(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("podman", args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("podman %s: %v: %s%s", strings.Join(args, " "), err, out, &errs)
	}
	return strings.TrimSpace(string(out))
}

// start runs n pods. Secrets are folders, by the names of the volumes.
func (p *pods) start(pod *corev1.PodTemplateSpec, n int, secrets map[string]string) {
	p.t.Helper()
	c := pod.Spec.Containers[0]
	for i := range n {
		name := fmt.Sprintf("sayso-%d", i)
		args := []string{"run", "-d", "--name", name, "--label", "chart=" + p.network, "--network", p.network, "--network-alias", name + ".sayso-nodes",
			"--user", fmt.Sprintf("%d:%d", *pod.Spec.SecurityContext.RunAsUser, *pod.Spec.SecurityContext.RunAsGroup),
			"--security-opt", "no-new-privileges"}
		if *c.SecurityContext.ReadOnlyRootFilesystem {
			args = append(args, "--read-only", "--read-only-tmpfs=false")
		}
		for _, drop := range c.SecurityContext.Capabilities.Drop {
			args = append(args, "--cap-drop", string(drop))
		}
		for _, h := range p.hosts {
			args = append(args, "--add-host", h)
		}
		for _, e := range c.Env {
			if e.Value != "" {
				args = append(args, "-e", e.Name+"="+e.Value)
			}
		}
		for _, m := range c.VolumeMounts {
			if folder, ok := secrets[m.Name]; ok {
				args = append(args, "-v", folder+":"+m.MountPath+":ro")
			} else {
				args = append(args, "-v", m.MountPath) // the claim, or an empty folder
			}
		}
		args = append(append(args, c.Image), Args(&c, name)...)
		podman(p.t, args...)
		p.names = append(p.names, name)
	}
}

// ip returns the address of a pod.
func (p *pods) ip(name string) string {
	p.t.Helper()
	return podman(p.t, "inspect", "-f", fmt.Sprintf("{{(index .NetworkSettings.Networks %q).IPAddress}}", p.network), name)
}

// ready asks as the kubelet's probe does, by the pod's address, until it is well.
func (p *pods) ready(c *corev1.Container, name string) {
	p.t.Helper()
	port := 0
	for _, at := range c.Ports {
		if at.Name == c.ReadinessProbe.HTTPGet.Port.StrVal {
			port = int(at.ContainerPort)
		}
	}
	p.await(name+" is ready", func() bool {
		return status(fmt.Sprintf("http://%s:%d%s", p.ip(name), port, c.ReadinessProbe.HTTPGet.Path)) == http.StatusOK
	})
}

func status(url string) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (p *pods) await(what string, is func() bool) {
	p.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !is(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("in vain: %s", what)
		}
	}
}

// exec runs sayso in a pod, as kubectl exec does.
func (p *pods) exec(name string, args ...string) (string, error) {
	out, err := exec.Command("podman", append([]string{"exec", name, "/usr/bin/sayso"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// kill ends the program of a pod as a crash would.
func (p *pods) kill(name string) {
	p.t.Helper()
	pid, err := strconv.Atoi(podman(p.t, "inspect", "-f", "{{.State.Pid}}", name))
	if err != nil || pid < 2 {
		p.t.Fatalf("process %d, %v", pid, err)
	}
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.await(name+" has ended", func() bool { return podman(p.t, "inspect", "-f", "{{.State.Running}}", name) == "false" })
}

// secret writes the files of a secret as the kubelet mounts them.
func secret(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "secret")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
