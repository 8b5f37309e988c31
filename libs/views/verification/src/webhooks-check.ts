import { createHash } from 'node:crypto';
import { type Position, type RecordedEvent } from '#domain/event-sourcing';
import { merchantIdOf, type WebhookEndpointSet } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { type ItemEvent, type TransactionRow } from '#views/transactions';
import { numbered, outcomeFrom } from '#views/webhook-outbox';
import { type Differences } from './difference.js';
import { type Snapshots } from './snapshots.js';
import { beforeAllPositions, fieldsOf, instantOf, lineOf, StoredLines } from './stored-lines.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallRow,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const columns = ['merchant_id', 'mode', 'sequence', 'id', 'type', 'position'] as const;
const eventLines = `
  select ${lineOf([...columns, instantOf('recorded_at'), 'callback_url', 'body'])}
  from webhook_events
  where (merchant_id, mode, sequence) > ($1, $2, $3) and position <= $4
  order by merchant_id, mode, sequence`;

const endpoints: SmallTable = {
  name: 'webhook_endpoints',
  keyIs: 'account',
  columns: [
    { name: 'endpoint', sql: `concat_ws(':', merchant_id, mode, kind, from_position)` },
    ...['to_position', 'url', 'enabled', 'standard_headers'].map((name) => ({ name })),
  ],
};
const sequences: SmallTable = {
  name: 'webhook_sequences',
  keyIs: 'account',
  columns: [{ name: 'of', sql: `concat_ws(':', merchant_id, mode)` }, { name: 'last_sequence' }],
};

/** All webhook events of a merchant and mode, as a chain: it differs if any field of any of them does. */
interface Chain {
  readonly last: bigint;
  readonly digest: string;
}
const empty: Chain = { last: 0n, digest: '' };

function linked({ last, digest }: Chain, fields: readonly (string | null)[]): Chain {
  const line = JSON.stringify([digest, ...fields]);
  return { last: last + 1n, digest: createHash('sha256').update(line).digest('base64') };
}

/** Compares the webhook events, with their numbers and bytes, with the log. Memory: one entry per merchant and mode. */
export class WebhooksCheck {
  readonly #chains = new Map<string, Chain>();
  readonly #endpoints = new Map<string, SmallRow>();
  readonly #standing = new Map<string, string>();
  #stored: Readonly<Record<'endpoints' | 'sequences', StoredTable>> | undefined;

  /** @param row the row after the event */
  observe(event: RecordedEvent<ItemEvent>, row: TransactionRow): void {
    const outcome = outcomeFrom(event, row);
    if (!outcome) return;
    const { merchant_id, mode, id, type, position, recorded_at, callback_url } = outcome;
    const key = `${merchant_id}:${mode}`;
    const chain = this.#chains.get(key) ?? empty;
    const sequence = chain.last + 1n;
    const body = numbered(outcome, sequence);
    const named = [merchant_id, mode, String(sequence), id, type, String(position)];
    this.#chains.set(key, linked(chain, [...named, recorded_at, callback_url, body]));
  }

  set({ data, stream, position }: RecordedEvent<WebhookEndpointSet>): void {
    const { mode, kind, url, enabled, standardHeaders = false } = data;
    const endpoint = [merchantIdOf(stream), mode, kind].join(':');
    const key = `${endpoint}:${position}`;
    const before = this.#standing.get(endpoint) ?? '';
    const [of, , ...rest] = this.#endpoints.get(before) ?? [];
    if (of !== undefined) this.#endpoints.set(of, [of, position.toString(), ...rest]);
    this.#endpoints.set(key, [key, null, url, String(enabled), String(standardHeaders)]);
    this.#standing.set(endpoint, key);
  }

  /** Reads the tables; the walk then continues exactly to the position of this snapshot. */
  async read(snapshot: Queryable): Promise<void> {
    this.#stored = {
      endpoints: await readSmallTable(endpoints, snapshot),
      sequences: await readSmallTable(sequences, snapshot),
    };
  }

  /** @param upTo position of that snapshot */
  async finish(snapshots: Snapshots, differences: Differences, upTo: Position): Promise<void> {
    if (!this.#stored) throw new TypeError('the tables of webhooks were not read');
    compareSmallTable(endpoints, this.#endpoints, this.#stored.endpoints, differences);
    const lasts = [...this.#chains].map(
      ([key, { last }]) => [key, [key, last.toString()] satisfies SmallRow] as const,
    );
    compareSmallTable(
      sequences,
      new Map<string, SmallRow>(lasts),
      this.#stored.sequences,
      differences,
    );
    const found = new Map<string, Chain>();
    const page = { select: eventLines, after: ['', '', beforeAllPositions], values: [upTo] };
    for await (const line of new StoredLines(snapshots, page).rest()) {
      const fields = fieldsOf(line);
      const key = fields.slice(0, 2).join(':');
      found.set(key, linked(found.get(key) ?? empty, fields));
    }
    for (const key of new Set([...this.#chains.keys(), ...found.keys()])) {
      const [expected, stored] = [this.#chains, found].map((of) => of.get(key) ?? empty);
      if (expected?.digest !== stored?.digest)
        differences.add({
          table: 'webhook_events',
          field: 'chain',
          account: key,
          expected: named(expected),
          found: named(stored),
        });
    }
  }
}

function named(chain: Chain = empty): string {
  return `${chain.last} events, digest ${chain.digest || 'none'}`;
}

export function isEndpointEvent(event: RecordedEvent): event is RecordedEvent<WebhookEndpointSet> {
  return event.stream.startsWith('merchant-') && event.type === 'WebhookEndpointSet';
}
