import {
  type EventMetadata,
  type EventPlace,
  type EventRecord,
  type EventTypes,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type StoredForm,
  UnknownEventType,
  UnreadableEvent,
} from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { amountsToText, textToAmounts } from './amounts.js';
import { type ProposedEvent } from './wire/batch-append-request.js';
import { type StoredEvent } from './wire/read-response.js';

/** A type and its stored form, as JSON. */
export interface StoredEventForm extends StoredForm {
  readonly type: string;
}

/** An event as code uses it: current version, amounts as bigint. */
export interface DecodedEvent extends EventRecord {
  readonly metadata: EventMetadata;
}

/** Converts between events as code uses them and events as the store keeps them. */
export class EventCodec {
  readonly #types: EventTypes;

  /** @param types the merged tables of all subjects */
  constructor(types: EventTypes) {
    this.#types = types;
  }

  /**
   * Returns the event to send to the store. Everything that could fail fails here, before anything is in flight.
   * @throws TypeError for a type or version that is not the current one, or a misplaced bigint: defects
   */
  encode({ id, event, metadata }: NewEvent): ProposedEvent {
    const { type, data, metadata: noted } = this.toStored({ ...event, metadata });
    return { id, type, data: JSON.stringify(data), metadata: JSON.stringify(noted) };
  }

  toStored({ type, data, metadata }: DecodedEvent): StoredEventForm {
    const known = this.#known(type);
    if (!known) throw new TypeError(`event ${type} is missing from the event types`);
    if (metadata.v !== known.version)
      throw new TypeError(`event ${type} is written as version ${known.version} now`);
    return {
      type,
      data: amountsToText(data, type) as StoredForm['data'],
      metadata: amountsToText(metadata, `${type} metadata`) as StoredForm['metadata'],
    };
  }

  /** @throws UnknownEventType; UnreadableEvent, such as for an amount that is not canonical text */
  decode<E extends EventRecord>(stored: StoredEvent): RecordedEvent<E> {
    const { type, data, metadata } = this.#read(stored);
    const { id, stream, revision, position, createdMs } = stored;
    return {
      type,
      data,
      id,
      stream,
      revision,
      position: position.commit,
      recordedAt: instantFromMs(createdMs),
      metadata,
    } as unknown as RecordedEvent<E>;
  }

  #read(stored: StoredEvent): DecodedEvent {
    const data = stored.isJson ? parsed(stored.data) : stored.data;
    const metadata = stored.metadata.length === 0 ? undefined : parsed(stored.metadata);
    try {
      return this.fromStored({ type: stored.type, data, metadata }, stored.position.commit);
    } catch (error) {
      if (error instanceof UnknownEventType) throw error;
      throw new UnreadableEvent(placeOf(stored), reasonOf(error), { cause: error });
    }
  }

  /** Upgrades a stored form to the current version, then converts its amounts to bigint: upcasters see the store's text. */
  fromStored(
    { type, data, metadata }: { type: string; data: unknown; metadata?: unknown },
    position: Position,
  ): DecodedEvent {
    const known = this.#known(type);
    const noted = metadata ?? {};
    if (!known || !isPlainObject(noted)) throw new UnknownEventType(type, undefined, position);
    const version = noted['v'] ?? 1;
    if (!isVersion(version) || version > known.version)
      throw new UnknownEventType(type, version, position);
    // No release can read them: the event is wrong, not its reader (docs/adr/0025).
    if (!isPlainObject(data)) throw new TypeError('its data are no JSON object');
    let current: StoredForm = { data, metadata: noted };
    for (let v = version; v < known.version; v += 1) {
      const upcast = known.upcast?.[v];
      if (!upcast) throw new UnknownEventType(type, version, position);
      current = upcast(current);
    }
    const says = current.metadata['v'] === known.version;
    return {
      type,
      data: textToAmounts(current.data) as object,
      metadata: (says
        ? current.metadata
        : { ...current.metadata, v: known.version }) as unknown as EventMetadata,
    };
  }

  #known(type: string): EventTypes[string] | undefined {
    return Object.hasOwn(this.#types, type) ? this.#types[type] : undefined;
  }
}

function placeOf({ type, id, stream, revision, position, createdMs }: StoredEvent): EventPlace {
  const recordedAt = instantFromMs(createdMs);
  return { type, id, stream, revision, position: position.commit, recordedAt };
}

/** Returns the bytes themselves if they are not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    return bytes;
  }
}

/** True for a JSON object, not for bytes or a text. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value)
  );
}

function isVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'its upcaster failed';
}
