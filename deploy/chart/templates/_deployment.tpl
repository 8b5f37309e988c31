{{/* A Deployment: (dict "root" . "component" "api" "app" "api" "ready" "/health/ready"). */}}
{{- define "pesapost.deployment" -}}
{{- $values := index .root.Values .component }}
{{- $words := list "node" (printf "dist/apps/%s/src/main.js" .app) }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "pesapost.name" .root }}-{{ .component }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    {{- include "pesapost.labels" . | nindent 4 }}
spec:
  {{- if not (and (hasKey $values "autoscaling") $values.autoscaling.enabled) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # Longer than a start may take, since a rollout that gives up keeps old and new pods.
  progressDeadlineSeconds: {{ add .root.Values.pods.startupSeconds 300 }}
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "pesapost.selector" . | nindent 6 }}
  template:
    metadata:
      {{- include "pesapost.podMetadata" . | nindent 6 }}
    spec:
      {{- include "pesapost.podBase" . | nindent 6 }}
      serviceAccountName: {{ include "pesapost.name" .root }}
      restartPolicy: Always
      terminationGracePeriodSeconds: {{ include "pesapost.grace" . }}
      topologySpreadConstraints:
        {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: {{ $.root.Values.pods.whenUnsatisfiable }}
          labelSelector:
            matchLabels:
              {{- include "pesapost.selector" $ | nindent 14 }}
          # The pods of the release that ends do not count.
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      containers:
        - {{ include "pesapost.containerBase" (merge (dict "words" $words) .) | nindent 10 | trim }}
          ports:
            {{- include "pesapost.ports" . | nindent 12 }}
          {{- if $values.preStopSeconds }}
          lifecycle:
            preStop:
              sleep: { seconds: {{ $values.preStopSeconds }} }
          {{- end }}
          # The process serves its probes once its records are migrated.
          startupProbe:
            httpGet: { path: /health/live, port: admin }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: {{ div (add .root.Values.pods.startupSeconds 4) 5 }}
          # It asks no server: a restart mends no outage of Redis.
          livenessProbe:
            httpGet: { path: /health/live, port: admin }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 3
          readinessProbe:
            httpGet: { path: {{ .ready }}, port: admin }
            periodSeconds: 3
            timeoutSeconds: 4
            failureThreshold: 2
{{- end }}
