{{- define "pesapost.name" -}}
{{- ternary .Release.Name (printf "%s-pesapost" .Release.Name) (contains "pesapost" .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* The labels by which selectors find the pods of a component: (dict "root" . "component" "api"). */}}
{{- define "pesapost.selector" -}}
app.kubernetes.io/name: pesapost
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "pesapost.labels" -}}
{{ include "pesapost.selector" . }}
app.kubernetes.io/part-of: pesapost
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "pesapost.image" -}}
{{- $image := .root.Values.image }}
{{- $tag := (index .root.Values .component).tag }}
{{- if $tag }}{{ $image.repository }}:{{ $tag }}
{{- else if $image.digest }}{{ $image.repository }}@{{ $image.digest }}
{{- else }}{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{/* A duration as settings write it (800ms, 10s, 2m) in whole seconds, rounded up. */}}
{{- define "pesapost.seconds" -}}
{{- $count := regexFind "^[0-9]+" . | int }}
{{- if hasSuffix "ms" . }}{{ div (add $count 999) 1000 }}
{{- else if hasSuffix "m" . }}{{ mul $count 60 }}
{{- else }}{{ $count }}
{{- end }}
{{- end }}

{{/*
The time from the deletion of a pod to its kill: the sleep before SIGTERM, DRAIN_DELAY, RAIL_PUSH_TIMEOUT and 5 s for what
is in flight (OPS-3), and 5 s more for the last lines of the log.
*/}}
{{- define "pesapost.grace" -}}
{{- $settings := .root.Values.settings }}
{{- $drain := include "pesapost.seconds" ($settings.DRAIN_DELAY | default "5s") | int }}
{{- $push := include "pesapost.seconds" ($settings.RAIL_PUSH_TIMEOUT | default "10s") | int }}
{{- $sleep := (index .root.Values .component).preStopSeconds | default 0 | int }}
{{- add $sleep $drain $push 10 }}
{{- end }}

{{/* The connections of Postgres that all pods together open, the surge of a rolling release included. */}}
{{- define "pesapost.connections" -}}
{{- $write := .Values.settings.DATABASE_POOL_WRITE | default "6" | int }}
{{- $read := .Values.settings.DATABASE_POOL_READ | default "6" | int }}
{{- $total := 0 }}
{{- range $name := list "api" "rails" "worker" "projector" }}
{{- $values := index $.Values $name }}
{{- $pods := $values.replicas | int }}
{{- if and (hasKey $values "autoscaling") $values.autoscaling.enabled }}{{ $pods = $values.autoscaling.maxReplicas | int }}{{ end }}
{{- $each := 4 }}
{{- if eq $name "worker" }}{{ $each = add $write 1 }}{{ end }}
{{- if has $name (list "api" "rails") }}{{ $each = add $write $read 1 }}{{ end }}
{{- $total = add $total (mul (add $pods 1) $each) }}
{{- end }}
{{- $total }}
{{- end }}

{{/* The ports of a component; every process has the admin port. */}}
{{- define "pesapost.ports" -}}
- name: admin
  containerPort: 9464
{{- if has .component (list "api" "rails") }}
- name: http
  containerPort: 8080
{{- end }}
{{- end }}
