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
