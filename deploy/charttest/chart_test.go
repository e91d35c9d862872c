package charttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// each runs a test for every file of values.
func each(t *testing.T, test func(t *testing.T, values []byte)) {
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(names) < 4 {
		t.Fatalf("%d files of values, %v", len(names), err)
	}
	for _, name := range names {
		values, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) { test(t, values) })
	}
}

func TestLint(t *testing.T) {
	each(t, func(t *testing.T, values []byte) {
		v, err := chartutil.ReadValues(values)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range lint.All(Chart, v, "asks", true).Messages {
			if m.Severity > support.InfoSev {
				t.Error(m)
			}
		}
	})
}

// TestStrict decodes what the API server would get.
func TestStrict(t *testing.T) {
	want := map[string]string{
		"cluster":     "StatefulSet Service Service PodDisruptionBudget",
		"cluster-all": "StatefulSet Service Service PodDisruptionBudget Ingress NetworkPolicy",
		"gateway":     "Deployment Service PodDisruptionBudget NetworkPolicy",
		"gateway-all": "Deployment Service PodDisruptionBudget",
	}
	each(t, func(t *testing.T, values []byte) {
		files, err := Render(values)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := Objects(files)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, o := range objects {
			kinds = append(kinds, o.GetObjectKind().GroupVersionKind().Kind)
		}
		slices.Sort(kinds)
		expected := strings.Fields(want[filepath.Base(t.Name())])
		slices.Sort(expected)
		if !slices.Equal(kinds, expected) {
			t.Errorf("got %v, want %v", kinds, expected)
		}
		for _, o := range objects {
			if s, ok := o.(*appsv1.StatefulSet); ok {
				checkSet(t, s, objects)
			}
		}
		pod, _ := PodOf(objects)
		checkPod(t, &pod.Spec)
	})
}

// checkSet checks what nodes need to find each other.
func checkSet[O any](t *testing.T, s *appsv1.StatefulSet, objects []O) {
	if s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		t.Errorf("the first pod would wait for a quorum: %s", s.Spec.PodManagementPolicy)
	}
	found := false
	for _, o := range objects {
		service, ok := any(o).(*corev1.Service)
		found = found || ok && service.Name == s.Spec.ServiceName && service.Spec.ClusterIP == "None" && service.Spec.PublishNotReadyAddresses
	}
	if !found {
		t.Errorf("no headless service %s that names pods which are not ready", s.Spec.ServiceName)
	}
	routes := 0
	for _, a := range s.Spec.Template.Spec.Containers[0].Args {
		if strings.HasPrefix(a, "--cluster-route=") {
			if want := fmt.Sprintf("--cluster-route=%s-%d.%s:6222", s.Name, routes, s.Spec.ServiceName); a != want {
				t.Errorf("got %s, want %s", a, want)
			}
			routes++
		}
	}
	if routes != int(*s.Spec.Replicas) {
		t.Errorf("%d routes for %d nodes", routes, *s.Spec.Replicas)
	}
}

// checkPod checks what a restricted namespace asks for, and that every mount has its
// volume.
func checkPod(t *testing.T, p *corev1.PodSpec) {
	c := p.Containers[0]
	if s := c.SecurityContext; !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !slices.Contains(s.Capabilities.Drop, "ALL") {
		t.Errorf("got %+v", s)
	}
	if s := p.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser != 65532 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Errorf("got %+v", s)
	}
	volumes := []string{"data"} // of a StatefulSet, it is a claim
	for _, v := range p.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, m := range c.VolumeMounts {
		if !slices.Contains(volumes, m.Name) {
			t.Errorf("nothing to mount at %s: %s", m.MountPath, m.Name)
		}
	}
	for _, e := range c.Env {
		if limit := c.Resources.Limits.Memory(); e.Name == "GOMEMLIMIT" && limit.IsZero() {
			t.Errorf("a memory limit of %s without one of the pod", e.Value)
		}
	}
}

// TestRefused shows that mistakes are found before anything is installed.
func TestRefused(t *testing.T) {
	for _, tc := range []struct{ values, says string }{
		{"mode: embedded", "mode"},
		{"mode: gateway", "nats"},
		{"clutser: {nodes: 5}", "clutser"},
		{"cluster: {nodes: 4}", "nodes"},
		{"hosts: []", "hosts"},
		{"settings: {node: other}", "node"},
		{"gateway: {nats: [http://x]}", "nats"},
	} {
		if _, err := Render([]byte(tc.values)); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: got %v", tc.values, err)
		}
	}
}

// TestMemory shows what Go may use of a pod's memory.
func TestMemory(t *testing.T) {
	for limit, want := range map[string]string{"2Gi": "1843MiB", "512Mi": "460MiB", "1500M": ""} {
		files, err := Render([]byte("resources: {limits: {memory: " + limit + "}}"))
		if err != nil {
			t.Fatal(err)
		}
		objects, err := Objects(files)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		pod, _ := PodOf(objects)
		for _, e := range pod.Spec.Containers[0].Env {
			if e.Name == "GOMEMLIMIT" {
				got = e.Value
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", limit, got, want)
		}
	}
}

// TestFlags has the program parse the arguments of every pod. With --help it parses
// them, and starts nothing.
func TestFlags(t *testing.T) {
	program := os.Getenv("SAYSO_BIN")
	if program == "" {
		t.Skip("SAYSO_BIN is not set; see deploy/check")
	}
	parse := func(args ...string) error {
		out, err := exec.Command(program, append(args, "--help")...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if parse("serve", "--no-such-flag") == nil || parse("serve", "--shards=many") == nil {
		t.Fatal("the program parses anything")
	}
	each(t, func(t *testing.T, values []byte) {
		files, err := Render(values)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := Objects(files)
		if err != nil {
			t.Fatal(err)
		}
		pod, n := PodOf(objects)
		for i := range n {
			args := Args(&pod.Spec.Containers[0], fmt.Sprintf("sayso-%d", i))
			if err := parse(args...); err != nil {
				t.Errorf("%v: %v", args, err)
			}
		}
	})
}
