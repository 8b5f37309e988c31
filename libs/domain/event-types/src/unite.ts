import { type EventTypes } from '#domain/event-sourcing';

/**
 * Merges all subjects' event types into one table. Subjects may share a type, because the store uses bare names; then
 * they must agree on it.
 * @throws TypeError if two subjects define a type differently, since one of them would misread its own events
 */
export function unite(subjects: Readonly<Record<string, EventTypes>>): EventTypes {
  const united: Record<string, EventTypes[string]> = {};
  for (const [subject, types] of Object.entries(subjects))
    for (const [type, definition] of Object.entries(types)) {
      const other = Object.hasOwn(united, type) ? united[type] : undefined;
      if (other && !agree(other, definition))
        throw new TypeError(`${subject} defines event ${type} differently from another subject`);
      united[type] = definition;
    }
  return united;
}

function agree(one: EventTypes[string], other: EventTypes[string]): boolean {
  const versions = Array.from({ length: one.version }, (_, version) => version);
  return (
    one.version === other.version &&
    versions.every((version) => one.upcast?.[version] === other.upcast?.[version])
  );
}
