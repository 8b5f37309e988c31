/** The shape of a subject's event: its stored name and its data. */
export interface StoredEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}

/** An event's stored data and metadata, parsed but not upcast yet. */
export interface StoredForm {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * The stored events of one subject: explicit names (never class names), the current version, and for each older version
 * the upcaster to the next one.
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

/** The kind of actor: a merchant's credential, an operator, the rail, or the service itself. */
export interface Actor {
  readonly kind: 'credential' | 'operator' | 'rail' | 'system';
  readonly id: string;
  /** The person or system behind a credential, as the operator named it. */
  readonly holder?: string;
}

/**
 * The encrypted evidence of a request or a report: `keyId` names the key, `ciphertext` is base64. It contains a random
 * 32-byte salt; SHA-256(salt ‖ evidence) is the commitment beside it.
 */
export interface Evidence {
  readonly keyId: string;
  /** The message in the records whose own key opens it as well. Deleting that key erases both (EVT-41). */
  readonly messageId?: string;
  readonly ciphertext: string;
}

/** The actor, time, reason and evidence; built once per edge and carried by the command. */
export interface CommandMetadata {
  /** The request id, which appears in logs and in every event that the request causes. */
  readonly correlationId: string;
  /** The event or callback that caused it. */
  readonly causationId?: string;
  readonly actor: Actor;
  /** An operator's reason. */
  readonly reason?: string;
  readonly evidence?: Evidence;
  /** Lower-case hex SHA-256. */
  readonly commitment?: string;
  /** The W3C trace context that the event belongs to; only if that trace is recorded (EVT-60). */
  readonly traceparent?: string;
}

/** The part of an event's metadata that refers to its evidence. */
export type Proof = Required<Pick<CommandMetadata, 'evidence' | 'commitment'>>;

/** The trace of some metadata or of a state, as a member that is absent if there is none. */
export function traceIn({ traceparent }: { readonly traceparent?: string | undefined }): {
  readonly traceparent?: string;
} {
  return traceparent === undefined ? {} : { traceparent };
}

/** An event's stored metadata: the command's, and the event's version. */
export interface EventMetadata extends CommandMetadata {
  readonly v: number;
}
