import { validate as deployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment';
import { validate as autoscaler } from 'kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler';
import { validate as job } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job';
import { validate as service } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service';
import { validate as serviceAccount } from 'kubernetes-models/_schemas/IoK8sApiCoreV1ServiceAccount';
import { validate as ingress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress';
import { validate as networkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy';
import { validate as disruptionBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget';
import { type Manifest } from './chart.js';

interface Validator {
  (data: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly keyword: string }[] | null;
}

/** Kubernetes' published schemas, which the package has compiled to functions. */
const validators: Readonly<Record<string, unknown>> = {
  'apps/v1 Deployment': deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscaler,
  'batch/v1 Job': job,
  'v1 Service': service,
  'v1 ServiceAccount': serviceAccount,
  'networking.k8s.io/v1 Ingress': ingress,
  'networking.k8s.io/v1 NetworkPolicy': networkPolicy,
  'policy/v1 PodDisruptionBudget': disruptionBudget,
};

/**
 * The faults of a manifest by the schema of its kind: wrong types, missing fields, and fields that the schema does not
 * have, which a server refuses, too.
 * @returns each as `path keyword`
 */
export function faultsOf(manifest: Manifest): readonly string[] {
  const validate = validators[`${manifest.apiVersion} ${manifest.kind}`] as Validator | undefined;
  if (!validate) return [`/kind ${manifest.apiVersion} ${manifest.kind} is not known here`];
  const read = new Set<string>();
  validate(watched(manifest, '', read));
  return [
    ...(validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`),
    ...unread(manifest, '', read).map((path) => `${path} unknown`),
  ];
}

/** A compiled schema reads each field that it knows, and no other: what it leaves unread is unknown to it. */
function watched(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const at = `${path}/${String(key)}`;
      read.add(at);
      return watched(Reflect.get(target, key), at, read);
    },
  });
}

function unread(value: unknown, path: string, read: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${path}/${key}`;
    return read.has(at) ? unread(inner, at, read) : [at];
  });
}
