import { notAPage } from '../errors/pesapost-error.js';
import { type Connection } from '../http/connection.js';
import { type QueryParameter } from '../signing/canonical-query.js';
import { type AnswerFacts, type ReadOptions } from '../types.js';
import { type WebhookEvent } from '../webhooks/verify-webhook.js';

const path = '/api/v4/events';

/** Which events: those after one that is known. */
export interface EventFilters {
  /** The `sequence` of the last event that you have handled; 0, the default, is before the first. */
  readonly afterSequence?: number;
  /** Events a page, 1 to 100; 25 where left out. */
  readonly limit?: number;
}

/** A page of the events, in the order of their sequence. */
export interface EventsPage extends AnswerFacts {
  /** Bodies as the webhooks have them; none: there is nothing newer yet. */
  readonly data: readonly WebhookEvent[];
  /** For the next page, as `afterSequence`: the last event's sequence, or what was asked for where there is none. */
  readonly next_after_sequence: number;
}

/** What webhooks tell, kept: the same bodies in their order, whether or not a delivery arrived. */
export class Events {
  constructor(private readonly connection: Connection) {}

  /** One page. @throws PesaPostError */
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
   * Every event after `filters.afterSequence` up to the newest, in order and without gaps:
   * `for await (const event of client.events.all({ afterSequence: last }))`.
   * @throws PesaPostError, `unexpected_answer` where an event is missing between two
   */
  async *all(
    filters: EventFilters = {},
    options: ReadOptions = {},
  ): AsyncGenerator<WebhookEvent, void, undefined> {
    let { afterSequence = 0 } = filters;
    for (;;) {
      const { data } = await this.list({ ...filters, afterSequence }, options);
      for (const event of data) {
        // One that was passed over would never be missed again.
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
