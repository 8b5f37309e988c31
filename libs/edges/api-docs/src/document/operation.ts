import { demandsOfRoute } from '#edges/api-v4';
import { type DtoClass, fieldsOf, refTo, type Route } from '#shared/openapi';
import { type Demands, errorResponses } from './error-responses.js';
import { headersOf, securityHeaderNames } from './headers.js';
import { type Operation, type Parameter, type Response } from './open-api.js';
import { parameterRef } from './parameters.js';

/** Returns a route as the document has it. */
export function operationOf(route: Route): Operation {
  const { operationId, tag, summary, description } = route.words;
  const demands = demandsOfRoute(route.handler, route.controller);
  const body = requestBodyOf(route);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [demands.signed ? { accessToken: [] } : { clientSecret: [] }],
    parameters: parametersOf(route, demands),
    ...(body && { requestBody: body }),
    responses: {
      [String(route.status)]: answerOf(route, demands),
      ...errorResponses(route, demands),
    },
  };
}

function parametersOf(route: Route, { signed, idempotencyKey }: Demands): Operation['parameters'] {
  const path = Object.entries(route.words.path ?? {}).map(([name, words]): Parameter => ({
    name,
    in: 'path',
    required: true,
    ...words,
  }));
  const query = route.query ? fieldsOf(route.query) : [];
  return [
    ...path,
    ...query.map((field): Parameter => ({ ...field, in: 'query' })),
    ...(signed
      ? [parameterRef('Signature'), parameterRef('Nonce'), parameterRef('Timestamp')]
      : []),
    ...(idempotencyKey ? [parameterRef('IdempotencyKey')] : []),
    ...(signed ? [parameterRef('MinPosition')] : []),
    ...(route.words.asOf ? [parameterRef('AtPosition')] : []),
    parameterRef('RequestId'),
  ];
}

function requestBodyOf({ body, words: { form } }: Route): Operation['requestBody'] {
  if (form)
    return {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: refTo(form) } },
    };
  if (!body) return undefined;
  const example = Object.fromEntries(fieldsOf(body).map((field) => [field.name, field.example]));
  return {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${bodyName(body)}` }, example },
    },
  };
}

/** Returns the name of a DTO in the document. */
export function bodyName({ name }: DtoClass): string {
  return name.replace(/Dto$/, '');
}

function answerOf({ words: { answer } }: Route, { signed }: Demands): Response {
  const always = ['X-Request-Id', ...(signed ? ['RateLimit-Policy', 'RateLimit'] : [])];
  return {
    description: answer.description,
    headers: headersOf({
      ...Object.fromEntries(always.map((name) => [name, 'always' as const])),
      ...answer.headers,
      ...Object.fromEntries(securityHeaderNames.map((name) => [name, 'always' as const])),
    }),
    content: { 'application/json': { schema: refTo(answer.shape), example: answer.example } },
  };
}
