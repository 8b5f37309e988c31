/** The shape of a subject's event: its stored name and its data. */
export interface StoredEvent<Type extends string, Data extends object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}
