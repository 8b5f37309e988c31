import { answerHeaders } from '#shared/http';
import { type Header, type Reference } from './open-api.js';

const wholeNumber = { type: 'string', pattern: '^(?:0|[1-9][0-9]*)$' };

/** Every response header that carries information of its own. */
const spoken = {
  'X-Request-Id': {
    description:
      'Your id, if it has this form and contains no phone number; otherwise a new one. Quote it when you ask for help.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
    example: '0e37df36-f698-4f5c-9a3b-3a2f0c5d9b11',
  },
  'RateLimit-Policy': {
    description: 'The credential’s rate: `q` requests in `w` seconds.',
    schema: { type: 'string', pattern: '^"credential";q=[0-9]+;w=[0-9]+$' },
    example: '"credential";q=100;w=1',
  },
  RateLimit: {
    description:
      'The number of requests that may follow at once (`r`), and the seconds until the whole burst is available again (`t`).',
    schema: { type: 'string', pattern: '^"credential";r=[0-9]+;t=[0-9]+$' },
    example: '"credential";r=199;t=1',
  },
  'X-PP-Ledger-Position': {
    description:
      'The ledger’s position that the answer reflects. Send it as X-PP-Min-Position to read your own writes.',
    schema: wholeNumber,
    example: '41822',
  },
  'X-PP-Ledger-Time': {
    description: 'The time at which the view had all of the ledger, so how fresh the answer is.',
    required: true,
    schema: { type: 'string', format: 'date-time' },
    example: '2026-01-21T06:36:24.102Z',
  },
  'Idempotent-Replayed': {
    description: 'The same call was made before, with the same key and fields.',
    schema: { const: 'true' },
    example: 'true',
  },
  'X-PP-Existing': {
    description:
      'The reference existed already. The answer is that collection, and nothing was pushed.',
    schema: { const: 'true' },
    example: 'true',
  },
  'X-PP-Differs': {
    description:
      'Sent with `X-PP-Existing`: the fields of the request that differ from the collection’s. **The answer is not about the request that you sent.**',
    schema: {
      type: 'string',
      pattern:
        '^(?:account_no|phone|amount_minor|currency|channel|items)(?:, (?:phone|amount_minor|currency|channel|items))*$',
    },
    example: 'phone, amount_minor',
  },
  'Retry-After': {
    description: 'The seconds to wait before another try.',
    required: true,
    schema: wholeNumber,
    example: '2',
  },
  'WWW-Authenticate': {
    description: 'Sent with `invalid_token` and `invalid_client`: how to authenticate.',
    schema: { enum: ['Bearer error="invalid_token"', 'Basic realm="token"'] },
    example: 'Bearer error="invalid_token"',
  },
} as const satisfies Record<string, Header>;

/**
 * Headers that no operation answers with. A component must be referred to from a path, so these are written in full.
 */
const unrouted: Readonly<Record<string, Header>> = {
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string', pattern: '^[A-Z]+(?:, [A-Z]+)*$' },
    example: 'POST',
  },
};

export const securityHeaderNames = Object.keys(answerHeaders);

/** The headers of every answer to a request that could be read. */
const common = {
  'X-Request-Id': spoken['X-Request-Id'],
  ...Object.fromEntries(
    Object.entries(answerHeaders).map(([name, value]) => [
      name,
      { description: 'The same on every answer.', schema: { const: value } },
    ]),
  ),
} satisfies Record<string, Header>;

/** The components, by header name. */
export const headerComponents: Readonly<Record<string, Header>> = {
  ...spoken,
  ...Object.fromEntries(
    Object.entries(common).map(([name, header]) => [name, { ...header, required: true }]),
  ),
};

export type Occurrence = 'always' | 'sometimes';

/** Returns the headers of one answer, by how often it has them. */
export function headersOf(
  occurrences: Readonly<Record<string, Occurrence>>,
): Readonly<Record<string, Header | Reference>> {
  return Object.fromEntries(
    Object.entries(occurrences).map(([name, occurrence]) => [name, headerOf(name, occurrence)]),
  );
}

/**
 * Returns a reference or a full header. A reference cannot say how often its header occurs. The component states the
 * usual case, and any other case needs the full header.
 */
function headerOf(name: string, occurrence: Occurrence): Header | Reference {
  const required = occurrence === 'always';
  const component = headerComponents[name];
  if (component && required === (component.required ?? false))
    return { $ref: `#/components/headers/${name}` };
  const header = component ?? unrouted[name];
  if (!header) throw new TypeError(`${name} is no header of the document`);
  return { ...header, required };
}
