import { apiDocument } from './api-document.js';
import { type OpenApiDocument, type Operation } from './open-api.js';
import { parameterRef } from './parameters.js';
import { webhooksTag } from './tags.js';

export type ClientsDocument = Omit<OpenApiDocument, 'webhooks'>;

/** The headers that a signing hook adds. */
const signatureRefs: ReadonlySet<string> = new Set(
  (['Signature', 'Nonce', 'Timestamp'] as const).map((name) => parameterRef(name).$ref),
);

/**
 * Returns the document for generators of clients (SDK-19). It leaves out two parts. Some generators read webhooks as
 * calls, and their clients then do not compile. Signature headers would be arguments of every call, but a hook computes
 * them from the finished request.
 */
export function clientsDocument(): ClientsDocument {
  const { webhooks: _webhooks, ...document } = apiDocument();
  const {
    Signature: _signature,
    Nonce: _nonce,
    Timestamp: _timestamp,
    ...parameters
  } = document.components.parameters;
  return {
    ...document,
    tags: document.tags.filter(({ name }) => name !== webhooksTag.name),
    paths: mapValues(document.paths, (methods) => mapValues(methods, withoutSignature)),
    components: { ...document.components, parameters },
  };
}

function withoutSignature(operation: Operation): Operation {
  const isKept = (parameter: Operation['parameters'][number]): boolean =>
    !('$ref' in parameter && signatureRefs.has(parameter.$ref));
  return { ...operation, parameters: operation.parameters.filter(isKept) };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
