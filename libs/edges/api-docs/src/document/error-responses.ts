import { errors, errorTerms, orderOfChecks, type Refusal } from '#edges/api-v4';
import { type HttpError } from '#shared/http';
import { type Route } from '#shared/openapi';
import { headersOf, type Occurrence, securityHeaderNames } from './headers.js';
import { type Response } from './open-api.js';

export interface Demands {
  readonly signed: boolean;
  readonly idempotencyKey: boolean;
}

/** The errors of every route: a request that cannot be read or is too large, a defect, or an unavailable dependency. */
const anyRoute: readonly HttpError[] = [
  errors.invalid_request,
  errors.payload_too_large,
  errors.internal_error,
  errors.service_unavailable,
];

/** Returns every error that a route can answer with, one response for each status, in the order of the statuses. */
export function errorResponses(route: Route, demands: Demands): Record<string, Response> {
  const all = [...checkRefusals(route, demands), ...fieldRefusals(route), ...route.words.refusals];
  if (demands.signed) all.push(errors.invalid_position);
  const codes = new Map<number, Set<Refusal>>();
  for (const { status, code } of [...all, ...anyRoute]) {
    const known = codes.get(status) ?? new Set();
    codes.set(status, known.add(code as Refusal));
  }
  return Object.fromEntries(
    [...codes]
      .sort(([left], [right]) => left - right)
      .map(([status, refusals]) => [
        String(status),
        errorResponse(status, [...refusals], demands.signed),
      ]),
  );
}

function checkRefusals({ method }: Route, { signed, idempotencyKey }: Demands): HttpError[] {
  if (!signed) return [];
  const demanded = { every: true, body: method !== 'get', 'money-movement': idempotencyKey };
  return orderOfChecks
    .filter(({ on }) => demanded[on])
    .flatMap(({ refusals }) => refusals.map((refusal) => errors[refusal]));
}

function fieldRefusals({ body, query }: Route): HttpError[] {
  return [body, query].flatMap((dto) => (dto ? Object.values(dto.errors) : []));
}

/** @param signed true if the route counts against a credential's rate */
export function errorResponse(
  status: number,
  codes: readonly Refusal[],
  signed: boolean,
): Response {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTerms[code].meaning.en}`).join('\n\n'),
    headers: headersOf(errorHeaders(status, codes, signed)),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['error'],
          properties: {
            error: { type: 'string', enum: codes },
            ...(status === 400 && { detail: { type: 'string', description: detailMeaning } }),
            ...(status === 401 &&
              signed && { detail: { type: 'string', description: demoDetailMeaning } }),
          },
        },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { summary: errorTerms[code].meaning.en, value: { error: code } },
          ]),
        ),
      },
    },
  };
}

const detailMeaning = 'One sentence that names the field and the rule. For people, not for code.';

const demoDetailMeaning =
  'In demo mode, with `timestamp_expired` and `invalid_signature`: the server’s time, the SHA-256 of the string that was verified, and its six lines. For people, not for code.';

function errorHeaders(
  status: number,
  codes: readonly Refusal[],
  signed: boolean,
): Record<string, Occurrence> {
  // Bytes that are not HTTP get a 400 before there is a request.
  const security = status === 400 ? 'sometimes' : 'always';
  const challenges = codes.filter((code) => code === 'invalid_token' || code === 'invalid_client');
  return {
    'X-Request-Id': 'always',
    ...((status === 429 || status === 503) && { 'Retry-After': 'always' as const }),
    ...(challenges.length > 0 && {
      'WWW-Authenticate': challenges.length === codes.length ? 'always' : ('sometimes' as const),
    }),
    ...(status === 405 && { Allow: 'always' as const }),
    ...(codes.includes('rail_rejected') && { 'X-PP-Ledger-Position': 'sometimes' as const }),
    ...(signed &&
      status !== 413 && {
        'RateLimit-Policy': 'sometimes' as const,
        RateLimit: 'sometimes' as const,
      }),
    ...Object.fromEntries(securityHeaderNames.map((name) => [name, security])),
  };
}
