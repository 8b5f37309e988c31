import { type OpenApiDocument, type Operation, type Parameter } from '../document/open-api.js';
import { lastOf } from './schema-fields.js';

/** A call of the API. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function callsOf(document: OpenApiDocument): readonly Call[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** Returns the parameters of a call, references resolved. @throws TypeError for one that the document does not have */
export function parametersOf(document: OpenApiDocument, { parameters }: Operation): Parameter[] {
  return parameters.map((parameter) => {
    if (!('$ref' in parameter)) return parameter;
    const found = document.components.parameters[lastOf(parameter.$ref)];
    if (!found) throw new TypeError('a parameter that the document does not have');
    return found;
  });
}

/** Returns the body that a call has as its example. */
export function exampleBody({ operation }: Call): unknown {
  return operation.requestBody?.content['application/json']?.example;
}

/** Returns the codes of each status of errors. */
export function codesOf({ responses }: Operation): { status: string; code: string }[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      Object.keys(content['application/json']?.examples ?? {}).map((code) => ({ status, code })),
    );
}

/** Returns the codes that every signed call can answer with. */
export function commonCodes(document: OpenApiDocument): ReadonlySet<string> {
  const signed = callsOf(document).filter(({ operation }) =>
    operation.security.some((one) => 'accessToken' in one),
  );
  const [first = [], ...others] = signed.map(({ operation }) =>
    codesOf(operation).map(({ code }) => code),
  );
  return new Set(first.filter((code) => others.every((codes) => codes.includes(code))));
}
