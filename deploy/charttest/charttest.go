// Package charttest renders the Helm chart and checks the result without a
// Kubernetes cluster: Helm lints it, the API's own types decode it strictly, the
// program parses its arguments, and podman runs its pods.
package charttest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Chart is the folder of the chart.
const Chart = "../helm/sayso"

// Render returns the files that helm template prints, by their names, for a release
// called sayso.
func Render(values []byte) (map[string]string, error) {
	chart, err := loader.LoadDir(Chart)
	if err != nil {
		return nil, err
	}
	v, err := chartutil.ReadValues(values)
	if err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: "sayso", Namespace: "asks", IsInstall: true, Revision: 1}
	all, err := chartutil.ToRenderValues(chart, v, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// Objects decodes every manifest of a rendered chart. A field that the API does not
// know, or that is there twice, is an error.
func Objects(files map[string]string) ([]runtime.Object, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		r := yaml.NewDocumentDecoder(io.NopCloser(strings.NewReader(files[name])))
		for doc := range documents(r) {
			object, _, err := decoder.Decode(doc, nil, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", name, err, doc)
			}
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// documents yields those that are not empty.
func documents(r io.Reader) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		buffer := make([]byte, 1<<20) // more than any manifest
		for {
			n, err := r.Read(buffer)
			if errors.Is(err, io.EOF) {
				return
			}
			doc := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(buffer[:n]), []byte("---")))
			if len(doc) > 0 && !yield(doc) || err != nil {
				return
			}
		}
	}
}

// PodOf returns the pod of the chart's StatefulSet or Deployment, and how many there
// are.
func PodOf(objects []runtime.Object) (*corev1.PodTemplateSpec, int) {
	for _, o := range objects {
		switch o := o.(type) {
		case *appsv1.StatefulSet:
			return &o.Spec.Template, int(*o.Spec.Replicas)
		case *appsv1.Deployment:
			return &o.Spec.Template, int(*o.Spec.Replicas)
		}
	}
	return nil, 0
}

// Args returns the arguments that the kubelet starts a pod with.
func Args(c *corev1.Container, pod string) []string {
	var args []string
	for _, a := range c.Args {
		args = append(args, strings.ReplaceAll(a, "$(POD_NAME)", pod))
	}
	return args
}
