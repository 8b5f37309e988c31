{{/* The environment of a process: (dict "root" . "component" "api"). Secrets are files; see the volume below. */}}
{{- define "pesapost.env" -}}
- name: PORT
  value: '8080'
- name: ADMIN_PORT
  value: '9464'
# Within the pod's own network, where a network policy says who reaches it.
- name: ADMIN_HOST
  value: 0.0.0.0
- name: DATA_DIR
  value: /data
# Migrations are the Job's, if there is one: no process of the release starts before it has ended.
- name: MIGRATIONS
  value: {{ ternary "apart" "at-start" .root.Values.migrate.enabled }}
{{- if .root.Values.trust.existingConfigMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /run/pesapost/ca/{{ .root.Values.trust.key }}
{{- end }}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- $own := and (has .component (list "migrate" "projector")) .root.Values.owner.existingSecret }}
{{- range $name, $key := .root.Values.secrets.keys }}
{{- /* The owner's URL is the server's own. */}}
{{- if not (and $own (eq $name "DATABASE_DIRECT_URL")) }}
- name: {{ $name }}_FILE
  value: /run/pesapost/secrets/{{ $name }}
{{- end }}
{{- end }}
{{- end }}

{{- define "pesapost.volumeMounts" -}}
- name: secrets
  mountPath: /run/pesapost/secrets
  readOnly: true
{{- if .root.Values.trust.existingConfigMap }}
- name: trust
  mountPath: /run/pesapost/ca
  readOnly: true
{{- end }}
- name: tmp
  mountPath: /tmp
- name: data
  mountPath: /data
{{- end }}

{{- define "pesapost.volumes" -}}
{{- $own := and (has .component (list "migrate" "projector")) .root.Values.owner.existingSecret -}}
- name: secrets
  projected:
    # 0440: the group of fsGroup reads them.
    defaultMode: 288
    sources:
      - secret:
          name: {{ .root.Values.secrets.existingSecret }}
          items:
            {{- range $name, $key := .root.Values.secrets.keys }}
            {{- if not (and $own (has $name (list "DATABASE_URL" "DATABASE_DIRECT_URL"))) }}
            - { key: {{ $key | quote }}, path: {{ $name }} }
            {{- end }}
            {{- end }}
      {{- if $own }}
      - secret:
          name: {{ .root.Values.owner.existingSecret }}
          items:
            - { key: {{ .root.Values.owner.key | quote }}, path: DATABASE_URL }
      {{- end }}
{{- if .root.Values.trust.existingConfigMap }}
- name: trust
  configMap:
    name: {{ .root.Values.trust.existingConfigMap }}
    items:
      - { key: {{ .root.Values.trust.key | quote }}, path: {{ .root.Values.trust.key | quote }} }
{{- end }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: data
  emptyDir: { sizeLimit: 64Mi }
{{- end }}

{{/* A pod's metadata, which the Deployments and Jobs share. */}}
{{- define "pesapost.podMetadata" -}}
labels:
  {{- include "pesapost.selector" . | nindent 2 }}
  {{- with .root.Values.pods.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.pods.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* The parts of a pod's spec that the Deployments and Jobs share: what it may do, and where it runs. */}}
{{- define "pesapost.podBase" -}}
automountServiceAccountToken: false
# Variables such as REDIS_PORT, after the namespace's Services, are none of our settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  # The image's user node.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.pods.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  {{- include "pesapost.volumes" . | nindent 2 }}
{{- end }}

{{/* The parts of a container that the Deployments and Jobs share; "words" is its command. */}}
{{- define "pesapost.containerBase" -}}
name: {{ .component }}
image: {{ include "pesapost.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
workingDir: /app
command:
  {{- toYaml .words | nindent 2 }}
env:
  {{- include "pesapost.env" . | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources:
  {{- toYaml (index .root.Values .component).resources | nindent 2 }}
volumeMounts:
  {{- include "pesapost.volumeMounts" . | nindent 2 }}
{{- end }}
