import { Controller, Get, Query, Res } from '@nestjs/common';
import { modes } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { Described, Documented, named, ruleWithSchema } from '#shared/openapi';
import { listWebhookEvents, webhookTypes } from '#views/webhook-outbox';
import { IsOptional } from 'class-validator';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiV4Options } from '../api-v4.options.js';
import { ByCaller, type Caller } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { errors } from '../errors.js';
import { MinPosition, showFreshness, viewHeaders } from '../ledger-position.js';
import { IsPageSize, pageSize } from '../transactions/list-transactions.dto.js';
import { transactionExample, transactionItem } from '../transactions/transaction-shapes.js';
import { validated } from '../validation/validated.js';
import { largestWhole } from '../validation/whole-number.js';

/** Checks a number of the sequence, or 0, which is before the first. It has no sign, leading zeros or spaces. */
function IsSequence(): PropertyDecorator {
  return ruleWithSchema(
    'isSequence',
    { type: 'integer', format: 'int64', minimum: 0, maximum: largestWhole, default: 0 },
    {
      validate: (value: unknown) =>
        typeof value === 'string' &&
        /^(?:0|[1-9][0-9]{0,15})$/.test(value) &&
        BigInt(value) <= largestWhole,
      defaultMessage: () =>
        'after_sequence must be the sequence of an event, or 0 for all of them.',
    },
  );
}

/** The query of GET /api/v4/events (LIST-20). */
export class ListEventsDto {
  static readonly errors = {
    after_sequence: errors.invalid_sequence,
    limit: errors.invalid_limit,
  };

  @Described('The `sequence` of the last event that you have. Only later events are listed.', 41)
  @IsOptional()
  @IsSequence()
  after_sequence?: string;

  @Described('Events of a page.', 25)
  @IsOptional()
  @IsPageSize()
  limit?: string;
}

/** The body of a webhook. */
export const webhookEvent = named(
  'WebhookEvent',
  z.object({
    id: z.string().describe('The same on every delivery of this event.'),
    type: z.enum(webhookTypes),
    created_at: z.string().describe('RFC 3339, UTC.'),
    mode: z.enum(modes),
    sequence: z.number().int().describe('1, 2, 3 … per merchant and mode, without gaps.'),
    data: transactionItem,
  }),
);

/** A page of the events (LIST-20). */
const eventList = named(
  'EventList',
  z.object({
    data: z.array(webhookEvent).readonly().describe('In the order of their sequence.'),
    next_after_sequence: z
      .number()
      .int()
      .describe('The `after_sequence` of the next page. Unchanged if there is nothing newer.'),
  }),
);

/** An example of a webhook's body. */
export const webhookEventExample = {
  id: '01a1fbba-5634-76de-a5c4-550311b90a36',
  type: 'collection.completed',
  created_at: '2026-01-21T06:36:24.102Z',
  mode: 'demo',
  sequence: 42,
  data: transactionExample,
};

@Controller('api/v4/events')
@V4Authenticated()
export class EventsController {
  constructor(
    private readonly database: ReadDatabase,
    private readonly options: ApiV4Options,
    private readonly minPosition: MinPosition,
  ) {}

  @Get()
  @Documented({
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List the events that webhooks announce, oldest first',
    description:
      'Returns the same bodies as the webhooks, in order, even if there is no endpoint or a delivery failed. Store the `sequence` of the last event that you handled. If a webhook’s `sequence` is more than one above it, read the events in between here. Pass `next_after_sequence` back as `after_sequence`. An empty page means that there is nothing newer yet.',
    answer: {
      description: 'One page.',
      shape: eventList,
      example: { data: [webhookEventExample], next_after_sequence: 42 },
      headers: viewHeaders,
    },
    refusals: [],
  })
  async list(
    @ByCaller() caller: Caller,
    @Query(validated(ListEventsDto)) { after_sequence: after, limit }: ListEventsDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    await this.minPosition.reach(caller);
    const { merchantId, mode } = caller.credential;
    const page = {
      merchantId,
      mode,
      after: BigInt(after ?? 0),
      limit: limit === undefined ? pageSize.usual : Number(limit),
    };
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const { bodies, last, position, asOf } = await this.minPosition.answered(caller, () =>
      listWebhookEvents(this.database, page, bound),
    );
    showFreshness(reply, { position, asOf });
    void reply.type('application/json; charset=utf-8');
    // The bodies are sent as stored: parsing and writing them again could change what was signed.
    return `{"data":[${bodies.join(',')}],"next_after_sequence":${last}}`;
  }
}
