/** The shape of a subject's event: its stored name and its data. */
export interface StoredEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}

/** An event's data and metadata as they stand in the store, parsed but not yet brought to the current version. */
export interface StoredForm {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The stored events of one subject: explicit names (never class names), the version written now, and for
 * each older version the step that brings it one version up.
 */
export type EventTypes = Readonly<
  Record<
    string,
    {
      readonly version: number;
      /** `upcast[n]` turns version n into version n + 1. */
      readonly upcast?: Readonly<Record<number, (stored: StoredForm) => StoredForm>>;
    }
  >
>;

/** Who acts: a merchant's credential, an operator, the rail, or the service itself. */
export interface Actor {
  readonly kind: 'credential' | 'operator' | 'rail' | 'system';
  readonly id: string;
  /** The person or system behind a credential, as the operator named it. */
  readonly holder?: string;
}

/**
 * What proves a request or a rail's report, encrypted: `keyId` names the key, `ciphertext` is base64.
 * Inside stands a random 32-byte salt; SHA-256(salt ‖ evidence) is the commitment beside it.
 */
export interface Evidence {
  readonly keyId: string;
  /** The message in the records whose own key opens it as well; dropping that key erases both (EVT-41). */
  readonly messageId?: string;
  readonly ciphertext: string;
}

/** Who, when, why and on what evidence; built once per edge and carried by the command. */
export interface CommandMetadata {
  /** The request id; the same in logs and in every event that the request leads to. */
  readonly correlationId: string;
  /** The event or callback that led here. */
  readonly causationId?: string;
  readonly actor: Actor;
  /** An operator's reason. */
  readonly reason?: string;
  readonly evidence?: Evidence;
  /** Lower-case hex SHA-256. */
  readonly commitment?: string;
}

/** What an event carries of the bytes that it rests on. */
export type Proof = Required<Pick<CommandMetadata, 'evidence' | 'commitment'>>;

/** What stands beside an event's data in the store: the command's metadata and the event's version. */
export interface EventMetadata extends CommandMetadata {
  readonly v: number;
}
