import { instantFromMs } from '#domain/kernel';
import { redactText } from '#infra/runtime';
import { type EvidenceMembers, parseQuery, type SignatureStanding } from '#shared/signing';

/** A merchant's signed request. */
interface OpenedRequest {
  readonly method: string;
  readonly path: string;
  /** The query without values that may identify a customer. */
  readonly query: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly keyFingerprint?: string;
}

/** A rail's report: a callback with its source, or the answer to a query of ours. */
interface OpenedRailReport {
  readonly sourceAddress?: string;
  readonly asked?: string;
  readonly answer?: string;
}

/**
 * Evidence of an event for a person to read. It leaves out digests and signatures: they are made from a phone number,
 * which trial would find again (EVT-26).
 */
export type OpenedEvidence =
  { readonly request: OpenedRequest } | { readonly rail: OpenedRailReport };

/** @param members of evidence that was opened, and that EvidenceOpened names (EVT-43) */
export function openedEvidence(members: EvidenceMembers): OpenedEvidence {
  const text = (name: string): string | undefined => {
    const member = members[name];
    return typeof member === 'string' ? redactText(member) : undefined;
  };
  const only = <Name extends string>(...names: readonly Name[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const member = text(name);
        return member === undefined ? [] : [[name, member]];
      }),
    ) as { readonly [N in Name]?: string };
  if (members['method'] === undefined) return { rail: only('sourceAddress', 'asked', 'answer') };
  return {
    request: {
      method: text('method') ?? '',
      path: text('path') ?? '',
      query: shownQuery(members['query']),
      ...only('nonce', 'timestamp', 'keyFingerprint'),
    },
  };
}

/** Parameters whose values are about the payment and not about the customer; the values of others are left out. */
const shownParameters: ReadonlySet<string> = new Set([
  ...['account_no', 'amount_minor', 'currency', 'reference', 'key_id', 'timestamp'],
  ...['live', 'oid', 'inv', 'ttl', 'vid', 'curr'],
]);

function shownQuery(raw: unknown): string {
  if (typeof raw !== 'string' || raw === '') return '';
  const parameters = parseQuery(raw);
  if (!parameters.ok) return '[unreadable]';
  return parameters.value
    .map(([name, value]) => `${name}=${shownParameters.has(name) ? redactText(value) : '…'}`)
    .join('&');
}

/** The evidence as lines of text. */
export function evidenceLines(opened: OpenedEvidence): readonly string[] {
  return 'rail' in opened ? [railLine(opened.rail)] : requestLines(opened.request);
}

/** The checks' results in words. */
export const standings = {
  valid: 'the signature verifies',
  invalid: 'the signature does NOT verify',
  unknown_key: 'signed with a key that this merchant never registered',
  not_checked: 'the signature is not checked here',
} as const satisfies Record<SignatureStanding, string>;

function requestLines(request: OpenedRequest): readonly string[] {
  const { method, path, query, nonce, timestamp, keyFingerprint } = request;
  const seconds = Number(timestamp ?? '');
  const signed = [
    ...(timestamp === undefined ? [] : [`signed at ${instantFromMs(seconds * 1000)}`]),
    ...(nonce === undefined ? [] : [`nonce ${nonce}`]),
    ...(keyFingerprint === undefined ? [] : [`key ${keyFingerprint.slice(0, 16)}…`]),
  ];
  const line = `request: ${method} ${path}${query === '' ? '' : `?${query}`}`;
  return signed.length === 0 ? [line] : [line, signed.join(', ')];
}

function railLine({ sourceAddress, asked, answer }: OpenedRailReport): string {
  if (asked !== undefined)
    return `rail: asked about ${asked}${answer === undefined ? '' : `, answered ${answer}`}`;
  // Only callbacks have an address. Other reports are answers to our own requests.
  if (sourceAddress === undefined) return 'rail: its answer to our own request';
  return `rail: report from ${sourceAddress === 'unknown' ? 'an address that is not known' : sourceAddress}`;
}

/** The evidence as members of JSON. */
export function evidenceJson(opened: OpenedEvidence): object {
  if ('rail' in opened) {
    const { sourceAddress, ...told } = opened.rail;
    const from = sourceAddress === undefined ? {} : { source_address: sourceAddress };
    return { rail: { ...from, ...told } };
  }
  const { keyFingerprint, ...told } = opened.request;
  const key = keyFingerprint === undefined ? {} : { key_fingerprint: keyFingerprint };
  return { request: { ...told, ...key } };
}
