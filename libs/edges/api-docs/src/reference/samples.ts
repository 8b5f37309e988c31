import { html } from '#shared/html';
import { apiDocument } from '../document/api-document.js';
import { type OpenApiDocument } from '../document/open-api.js';
import { type Sample } from '../site/page.js';
import { type Call, callsOf, exampleBody, parametersOf } from './calls.js';
import { samplesNamed } from './client-samples.js';

/** Filters that a first request has no use for. */
const omittedFilters = ['cursor', 'batch', 'date_field', 'type'];

/** Returns the samples of a call in each language, then its answer. */
export function samplesOf(document: OpenApiDocument, call: Call): readonly Sample[] {
  const answer = exampleAnswer(call);
  return [
    {
      title: html`curl, with <a href="/docs/quick-start#define-a-function-that-signs">signed</a>`,
      language: 'curl',
      code: curlSample(document, call),
    },
    ...samplesNamed(
      call.operation.operationId === 'issueToken' ? 'client' : call.operation.operationId,
    ).map((sample) => ({
      ...sample,
      title: html`${sample.title}, with a <a href="/docs/guides/sdk#make-a-client">client</a>`,
    })),
    ...(answer === undefined
      ? []
      : [{ title: `Response ${answer.status}`, code: JSON.stringify(answer.body, null, 2) }]),
  ];
}

/** Returns the first status of a call, with its example; undefined if it has none. */
function exampleAnswer({ operation }: Call): { status: string; body: unknown } | undefined {
  const [[status, response] = ['', undefined]] = Object.entries(operation.responses);
  const body = response?.content['application/json']?.example;
  return body === undefined ? undefined : { status, body };
}

/** The call in a shell. A spec runs it with a `signed` that prints its arguments. */
function curlSample(document: OpenApiDocument, call: Call): string {
  if (call.operation.operationId === 'issueToken')
    return `curl -sS -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=client_credentials \\
  "$BASE_URL${call.path}"`;
  const parameters = parametersOf(document, call.operation);
  let path = call.path;
  for (const [name, value] of Object.entries(pathExamples(document, call)))
    path = path.replace(`{${name}}`, value);
  const body = exampleBody(call);
  const setBody = body === undefined ? '' : `BODY='${JSON.stringify(body, null, 2)}'\n`;
  const key = parameters.find(({ name }) => name === 'Idempotency-Key');
  const keyHeader = key ? ` \\\n  -H 'Idempotency-Key: ${String(key.example)}'` : '';
  const query = queryOf(document, call);
  return `${setBody}signed ${call.method.toUpperCase()} ${path} \\
  '${query}' ${body === undefined ? "''" : '"$BODY"'}${keyHeader}`;
}

function queryOf(document: OpenApiDocument, { operation }: Call): string {
  return parametersOf(document, operation)
    .filter((one) => one.in === 'query' && !omittedFilters.includes(one.name))
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    .sort()
    .join('&');
}

function pathExamples(document: OpenApiDocument, { operation }: Call): Record<string, string> {
  return Object.fromEntries(
    parametersOf(document, operation)
      .filter((one) => one.in === 'path')
      .map(({ name, example }) => [name, String(example)]),
  );
}

/** A call with its examples, for the specs that run its samples. */
export interface CallSamples {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The body of the answer. */
  readonly answer: unknown;
  readonly curl: string;
}

/** Returns every call with its examples. */
export function callSamples(): readonly CallSamples[] {
  const document = apiDocument();
  return callsOf(document).map((call) => ({
    operationId: call.operation.operationId,
    method: call.method,
    path: call.path,
    body: exampleBody(call),
    answer: exampleAnswer(call)?.body,
    curl: curlSample(document, call),
  }));
}
