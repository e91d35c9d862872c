{{- define "sayso.selector" -}}
app.kubernetes.io/name: sayso
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sayso.labels" -}}
{{ include "sayso.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- /* What Go may use: 90 % of the limit, so that it collects before the kernel kills. */ -}}
{{- define "sayso.memory" -}}
{{- $limit := toString (dig "limits" "memory" "" .Values.resources) -}}
{{- if regexMatch "^[0-9]+Gi$" $limit -}}
{{ div (mul (trimSuffix "Gi" $limit | int) 1024 90) 100 }}MiB
{{- else if regexMatch "^[0-9]+Mi$" $limit -}}
{{ div (mul (trimSuffix "Mi" $limit | int) 90) 100 }}MiB
{{- end -}}
{{- end }}

{{- /* The pod of both modes. */ -}}
{{- define "sayso.pod" -}}
metadata:
  labels: {{- include "sayso.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  # Requests get time to end, then the storage to hand on its work and to write everything out.
  terminationGracePeriodSeconds: 75
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "sayso.selector" . | nindent 10 }}
  affinity:
    podAntiAffinity:
      {{- if and (eq .Values.mode "cluster") (eq .Values.cluster.spread "required") }}
      requiredDuringSchedulingIgnoredDuringExecution:
        - topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels: {{- include "sayso.selector" . | nindent 14 }}
      {{- else }}
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels: {{- include "sayso.selector" . | nindent 16 }}
      {{- end }}
  containers:
    - name: sayso
      image: {{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: {{- include "sayso.args" . | nindent 8 }}
      env:
        - name: POD_NAME
          valueFrom: {fieldRef: {fieldPath: metadata.name}}
        {{- with include "sayso.memory" . }}
        - {name: GOMEMLIMIT, value: {{ . }}}
        {{- end }}
      ports:
        - {name: http, containerPort: 7777}
        {{- if eq .Values.mode "cluster" }}
        - {name: cluster, containerPort: 6222}
        {{- end }}
        {{- with .Values.metricsPort }}
        - {name: metrics, containerPort: {{ . }}}
        {{- end }}
      # A node serves once a quorum of nodes runs, and a new version may move records first.
      startupProbe:
        httpGet: {{- include "sayso.probe" (list . "/healthz") | nindent 10 }}
        periodSeconds: 5
        failureThreshold: 360
      livenessProbe:
        httpGet: {{- include "sayso.probe" (list . "/healthz") | nindent 10 }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {{- include "sayso.probe" (list . "/readyz") | nindent 10 }}
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      # Proxies stop sending requests here before the hub ends those it has.
      lifecycle: {preStop: {sleep: {seconds: 5}}}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: data, mountPath: /data}
        {{- if .Values.tlsSecret }}
        - {name: tls, mountPath: /tls, readOnly: true}
        {{- end }}
        {{- if eq .Values.mode "cluster" }}
        - {name: cluster-tls, mountPath: /cluster-tls, readOnly: true}
        {{- else }}
        {{- if ne .Values.gateway.login "none" }}
        - {name: nats, mountPath: /nats, readOnly: true}
        {{- end }}
        {{- if .Values.gateway.caSecret }}
        - {name: nats-ca, mountPath: /nats-ca, readOnly: true}
        {{- end }}
        {{- end }}
  volumes:
    {{- if .Values.tlsSecret }}
    - {name: tls, secret: {secretName: {{ .Values.tlsSecret }}, defaultMode: 0440}}
    {{- end }}
    {{- if eq .Values.mode "cluster" }}
    - {name: cluster-tls, secret: {secretName: {{ .Values.cluster.tlsSecret }}, defaultMode: 0440}}
    {{- else }}
    - {name: data, emptyDir: {}}
    {{- if ne .Values.gateway.login "none" }}
    - {name: nats, secret: {secretName: {{ .Values.gateway.secret }}, defaultMode: 0440}}
    {{- end }}
    {{- if .Values.gateway.caSecret }}
    - {name: nats-ca, secret: {secretName: {{ .Values.gateway.caSecret }}, defaultMode: 0440}}
    {{- end }}
    {{- end }}
{{- end }}

{{- define "sayso.probe" -}}
{{- $ := index . 0 -}}
path: {{ index . 1 }}
port: http
{{- if $.Values.tlsSecret }}
scheme: HTTPS
{{- end }}
{{- end }}

{{- /* The arguments of the program. CI parses them with it. */ -}}
{{- define "sayso.args" -}}
- serve
- --listen=0.0.0.0:7777
{{- range .Values.hosts }}
- --host={{ . }}
{{- end }}
{{- if .Values.tlsSecret }}
- --tls-cert=/tls/tls.crt
- --tls-key=/tls/tls.key
{{- else }}
- --behind-proxy
{{- end }}
{{- with .Values.metricsPort }}
- --metrics=0.0.0.0:{{ . }}
{{- end }}
{{- if eq .Values.mode "cluster" }}
- --node=$(POD_NAME)
- --cluster-listen=0.0.0.0:6222
{{- range $i := until (int .Values.cluster.nodes) }}
- --cluster-route={{ $.Release.Name }}-{{ $i }}.{{ $.Release.Name }}-nodes:6222
{{- end }}
- --cluster-tls-cert=/cluster-tls/tls.crt
- --cluster-tls-key=/cluster-tls/tls.key
- --cluster-tls-ca=/cluster-tls/ca.crt
{{- else }}
{{- range .Values.gateway.nats }}
- --nats={{ . }}
{{- end }}
{{- if eq .Values.gateway.login "creds" }}
- --nats-creds=/nats/user.creds
{{- else if eq .Values.gateway.login "nkey" }}
- --nats-nkey=/nats/user.nk
{{- end }}
{{- if .Values.gateway.caSecret }}
- --nats-ca=/nats-ca/ca.crt
{{- end }}
{{- with .Values.gateway.syncCheck }}
- --nats-sync-check={{ . }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- range (kindIs "slice" $value | ternary $value (list $value)) }}
{{- /* Helm reads every number as a float, and would print 2e+06. */}}
- {{ printf "--%s=%s" $name (kindIs "float64" . | ternary (int64 . | toString) (toString .)) | quote }}
{{- end }}
{{- end }}
{{- end }}
