import { type EventMetadata, EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { membersOf, publicKeysOf } from '#adapters/audit';
import { findOwnKeys, type OwnKeyRow } from '#adapters/records';
import { Database } from '#infra/postgres';
import { redactText } from '#infra/runtime';
import {
  type EvidenceMembers,
  type Keyring,
  parseQuery,
  type PublicKey,
  signatureStanding,
  type SignatureStanding,
} from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';
import { loadedKeyring } from '../keyring.js';

/** A merchant's signed request. */
interface OpenedRequest {
  readonly method: string;
  readonly path: string;
  /** Values that may tell of a customer are left out. */
  readonly query: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly keyFingerprint?: string;
  readonly signature: SignatureStanding;
}

/** What the rail said: from where, or the answer to which question. */
interface OpenedRailReport {
  readonly sourceAddress?: string;
  readonly asked?: string;
  readonly answer?: string;
}

/**
 * Evidence as a person reads it. Digests and signatures stay sealed: what they are made of holds a phone number, which
 * whoever has them finds again by trying (EVT-26).
 */
export type OpenedEvidence =
  | { readonly state: 'request'; readonly request: OpenedRequest }
  | { readonly state: 'rail'; readonly rail: OpenedRailReport }
  /** Its key was dropped, or is not in the ring; `damaged`: the commitment is not its own. */
  | { readonly state: 'sealed' | 'damaged' };

/** Opens the evidence of a merchant's events, and says whose signatures verify. */
export class EvidenceReader {
  private constructor(
    private readonly keyring: Keyring,
    private readonly publicKeys: ReadonlyMap<string, PublicKey>,
    private readonly ownKeys: ReadonlyMap<string, OwnKeyRow>,
  ) {}

  /** @param events of one stream, whose evidence may be opened @throws DependencyUnavailable */
  static async for(
    app: INestApplicationContext,
    events: readonly RecordedEvent[],
  ): Promise<EvidenceReader> {
    return new EvidenceReader(
      await loadedKeyring(app, 'error'),
      await publicKeysOf(app.get<EventStore>(EventStore), events),
      await findOwnKeys(
        app.get(Database),
        events.flatMap(({ metadata }) => metadata.evidence?.messageId ?? []),
      ),
    );
  }

  /** Undefined where the event carries none. */
  open({ evidence, commitment }: EventMetadata): OpenedEvidence | undefined {
    if (!evidence || commitment === undefined) return undefined;
    const ownKey = this.ownKeys.get(evidence.messageId ?? '')?.ownKey;
    const members = membersOf(this.keyring, { evidence, commitment }, ownKey);
    return typeof members === 'string' ? { state: members } : this.opened(members);
  }

  private opened(members: EvidenceMembers): OpenedEvidence {
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
    if (members['method'] === undefined)
      return { state: 'rail', rail: only('sourceAddress', 'asked', 'answer') };
    return {
      state: 'request',
      request: {
        method: text('method') ?? '',
        path: text('path') ?? '',
        query: shownQuery(members['query']),
        ...only('nonce', 'timestamp', 'keyFingerprint'),
        signature: signatureStanding(members, (fingerprint) => this.publicKeys.get(fingerprint)),
      },
    };
  }
}

/** Parameters whose values tell of the payment and of no customer; the others' are left out. */
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

/** As lines for a person; none for an event without evidence. */
export function evidenceLines(opened: OpenedEvidence | undefined): readonly string[] {
  if (!opened) return [];
  switch (opened.state) {
    case 'request':
      return requestLines(opened.request);
    case 'rail':
      return [railLine(opened.rail)];
    case 'sealed':
      return ['evidence: sealed; its key is not to be had any more'];
    case 'damaged':
      return ['evidence: damaged; it is not what its commitment says'];
  }
}

/** As a person reads them. */
export const standings = {
  valid: 'the signature verifies',
  invalid: 'the signature does NOT verify',
  unknown_key: 'signed with a key that this merchant never registered',
  not_checked: 'the signature is not checked here',
} as const satisfies Record<SignatureStanding, string>;

function requestLines(request: OpenedRequest): readonly string[] {
  const { method, path, query, nonce, timestamp, keyFingerprint, signature } = request;
  const seconds = Number(timestamp ?? '');
  return [
    `request: ${method} ${path}${query === '' ? '' : `?${query}`}`,
    [
      ...(timestamp === undefined ? [] : [`signed at ${instantFromMs(seconds * 1000)}`]),
      ...(nonce === undefined ? [] : [`nonce ${nonce}`]),
      ...(keyFingerprint === undefined ? [] : [`key ${keyFingerprint.slice(0, 16)}…`]),
      standings[signature],
    ].join(', '),
  ];
}

function railLine({ sourceAddress, asked, answer }: OpenedRailReport): string {
  if (asked !== undefined)
    return `rail: asked about ${asked}${answer === undefined ? '' : `, answered ${answer}`}`;
  // Only what came to us by itself has an address: the rest are answers to what we sent.
  if (sourceAddress === undefined) return 'rail: its answer to our own request';
  return `rail: report from ${sourceAddress === 'unknown' ? 'an address that is not known' : sourceAddress}`;
}

/** The same as members of JSON. */
export function evidenceJson(
  { metadata: { evidence, commitment } }: RecordedEvent,
  opened: OpenedEvidence | undefined,
): object | null {
  if (!opened || !evidence) return null;
  const sealed = { key_id: evidence.keyId, commitment };
  if (opened.state === 'rail') {
    const { sourceAddress, ...told } = opened.rail;
    const from = sourceAddress === undefined ? {} : { source_address: sourceAddress };
    return { state: 'opened', ...sealed, rail: { ...from, ...told } };
  }
  if (opened.state !== 'request') return { state: opened.state, ...sealed };
  const { keyFingerprint, ...told } = opened.request;
  const key = keyFingerprint === undefined ? {} : { key_fingerprint: keyFingerprint };
  return { state: 'opened', ...sealed, request: { ...told, ...key } };
}
