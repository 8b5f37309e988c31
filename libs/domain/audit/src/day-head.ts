import { type Decider, type EventTypes, type StoredEvent } from '#domain/event-sourcing';

/** The content of a day's signature (AUD-15). Sizes are digits, and roots lower-case hex. */
export interface DayHead {
  /** YYYY-MM-DD, in the time zone. */
  readonly date: string;
  readonly timezone: string;
  /** The size of the tree over all postings. */
  readonly treeSize: string;
  readonly root: string;
  /** The size of the tree over all events. */
  readonly historySize: string;
  readonly historyRoot: string;
  /** The fingerprint of the public key. */
  readonly keyId: string;
  /** The tree size of the previous head; `0`, with the empty tree's root, in the first head. */
  readonly previousTreeSize: string;
  readonly previousRoot: string;
}

/** A day's head as history stores it. */
export type DaySealed = StoredEvent<
  'DaySealed',
  Omit<DayHead, 'previousTreeSize' | 'previousRoot'> & {
    /** Base64 of the SubjectPublicKeyInfo, so that used keys stay known for ever. */
    publicKey: string;
    /** Base64. */
    signature: string;
  }
>;

/** The names and versions under which history stores these events (EVT-1). */
export const auditEventTypes = {
  DaySealed: { version: 1 },
} as const satisfies Record<DaySealed['type'], EventTypes[string]>;

export const auditStream = 'platform-audit';
/** The type of a head's event. */
export const sealedType: DaySealed['type'] = 'DaySealed';

/** The heads and keys of the history so far. */
export interface Sealed {
  /** The newest head; undefined before the first. */
  readonly last: DayHead | undefined;
  /** The keys that signed, in the order of their first use. Each replaced the one before. */
  readonly keyIds: readonly string[];
}

export const auditDecider: Decider<Sealed, DaySealed> = {
  types: auditEventTypes,
  initial: { last: undefined, keyIds: [] },
  evolve: ({ last, keyIds }, { data }) => ({
    last: headOf(data, last),
    keyIds: keyIds.includes(data.keyId) ? keyIds : [...keyIds, data.keyId],
  }),
};

/** SHA-256 of nothing, the root of a tree without leaves (RFC 6962 §2.1). */
export const emptyRoot = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Returns the head that an event describes, after the previous head. */
export function headOf(data: DaySealed['data'], before: DayHead | undefined): DayHead {
  const { date, timezone, treeSize, root, historySize, historyRoot, keyId } = data;
  return {
    date,
    timezone,
    treeSize,
    root,
    historySize,
    historyRoot,
    keyId,
    previousTreeSize: before?.treeSize ?? '0',
    previousRoot: before?.root ?? emptyRoot,
  };
}

/** The canonical text of a head, which is signed: JSON by RFC 8785, its members in the order of their names. */
export function headText(head: DayHead): string {
  return `{${headMembers.map((name) => `"${name}":${JSON.stringify(head[name])}`).join(',')}}`;
}

const headMembers = [
  ...(['date', 'historyRoot', 'historySize', 'keyId', 'previousRoot'] as const),
  ...(['previousTreeSize', 'root', 'timezone', 'treeSize'] as const),
] as const satisfies readonly (keyof DayHead)[];
