import { notAPage } from '../errors/pesapost-error.js';
import { type Connection } from '../http/connection.js';
import { type QueryParameter } from '../signing/canonical-query.js';
import { type AnswerFacts, type ReadOptions } from '../types.js';
import { type WebhookEvent } from '../webhooks/verify-webhook.js';

const path = '/api/v4/events';

/** Filters the events: only those after a known one. */
export interface EventFilters {
  /** The `sequence` of the last event that you have handled; 0, the default, is before the first. */
  readonly afterSequence?: number;
  /** Events per page, 1 to 100; 25 if omitted. */
  readonly limit?: number;
}

/** A page of the events, in the order of their sequence. */
export interface EventsPage extends AnswerFacts {
  /** Bodies like those of the webhooks; empty if there is nothing newer yet. */
  readonly data: readonly WebhookEvent[];
  /** For the next page, as `afterSequence`: the last event's sequence, or the requested value if the page is empty. */
  readonly next_after_sequence: number;
}

/** The webhooks' events, stored: the same bodies in their order, even if a delivery did not arrive. */
export class Events {
  constructor(private readonly connection: Connection) {}

  /** Returns one page. @throws PesaPostError */
  async list(
    filters: EventFilters = {},
    { minPosition, signal }: ReadOptions = {},
  ): Promise<EventsPage> {
    const query = parametersOf(filters);
    const answer = await this.connection.send({ method: 'GET', path, query, minPosition, signal });
    const { data, next_after_sequence } = answer.body as unknown as EventsPage;
    return { data, next_after_sequence, ledgerPosition: answer.ledgerPosition };
  }

  /**
   * Yields every event after `filters.afterSequence` up to the newest, in order and without gaps: `for await (const
   * event of client.events.all({ afterSequence: last }))`.
   * @throws PesaPostError, `unexpected_answer` if an event is missing between two
   */
  async *all(
    filters: EventFilters = {},
    options: ReadOptions = {},
  ): AsyncGenerator<WebhookEvent, void, undefined> {
    let { afterSequence = 0 } = filters;
    for (;;) {
      const { data } = await this.list({ ...filters, afterSequence }, options);
      for (const event of data) {
        // A skipped event would never be noticed again (SDK-15).
        if (event.sequence !== afterSequence + 1) throw notAPage(path);
        afterSequence = event.sequence;
        yield event;
      }
      if (data.length === 0) return;
    }
  }
}

function parametersOf({ afterSequence, limit }: EventFilters): QueryParameter[] {
  return Object.entries({ after_sequence: afterSequence, limit }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
}
