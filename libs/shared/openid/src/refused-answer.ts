/**
 * Signature algorithms that we accept, whatever else a provider offers: symmetric keys and `none` prove nothing, and of
 * the others two are enough (POR-2).
 */
export const signatureAlgorithms: readonly string[] = ['RS256', 'ES256'];

/** Facts about an answer of the provider that was refused, for logs and messages. They contain no token and no secret. */
export interface RefusedAnswer {
  /** The code of the OpenID library, such as `OAUTH_TIMEOUT`. */
  readonly code: string;
  /** The OAuth `error` of the answer, such as `invalid_client`. */
  readonly error?: string;
  /** The HTTP status of the answer. */
  readonly status?: number;
  /** The token's signature algorithm, if we do not accept it. */
  readonly alg?: string;
  /** The claim of the token that is not the expected one. */
  readonly claim?: string;
  /** The issuer that the answer names, if it is not the configured one. */
  readonly found?: string;
}

/** Errors of the library nest a few levels deep. */
const deepest = 8;
/** A provider chooses these texts, so no line break or escape sequence may reach a terminal. */
const shortText = /^[\w.:/#-]{1,200}$/;

/** Reads the facts from an error of the OpenID library and from its causes. */
export function refusedAnswer(thrown: unknown): RefusedAnswer {
  const links = causesOf(thrown);
  const texts = (name: string): string | undefined =>
    links.map((link) => shortTextOf(link[name])).find((text) => text !== undefined);
  const status = links.map((link) => link['status']).find((value) => typeof value === 'number');
  const [code = texts('name')] = [texts('code')];
  const alg = links.map(refusedAlgorithmOf).find((text) => text !== undefined);
  const found = links.map(otherIssuerOf).find((text) => text !== undefined);
  const [error, claim] = [texts('error'), texts('claim')];
  return {
    code: code ?? 'unknown',
    ...(error !== undefined && { error }),
    ...(status !== undefined && { status }),
    ...(alg !== undefined && { alg }),
    ...(claim !== undefined && { claim }),
    ...(found !== undefined && { found }),
  };
}

type Link = Readonly<Record<string, unknown>>;

function causesOf(thrown: unknown): readonly Link[] {
  const links: Link[] = [];
  for (let each = thrown; isLink(each) && links.length < deepest; each = each['cause'])
    links.push(each);
  return links;
}

function isLink(value: unknown): value is Link {
  return typeof value === 'object' && value !== null;
}

function refusedAlgorithmOf({ header }: Link): string | undefined {
  const alg = isLink(header) ? shortTextOf(header['alg']) : undefined;
  return alg === undefined || signatureAlgorithms.includes(alg) ? undefined : alg;
}

/** The issuer in the provider's document or in a token, if the library refused it. */
function otherIssuerOf({ attribute, body, claim, claims }: Link): string | undefined {
  if (attribute === 'issuer' && isLink(body)) return shortTextOf(body['issuer']);
  return claim === 'iss' && isLink(claims) ? shortTextOf(claims['iss']) : undefined;
}

function shortTextOf(value: unknown): string | undefined {
  return typeof value === 'string' && shortText.test(value) ? value : undefined;
}
