import { permits } from '#domain/people';
import { findOpenProposals } from '#records/reviews';
import { Database } from '#infra/postgres';
import { AccessRequests } from '#records/people';
import { listCorrections } from '#views/balances';
import { itemOf } from '#desk/operators';
import { listUnsettledBatches, listUnsettledPayouts } from '#views/payouts';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { type Viewer, viewerOf } from '../access/viewer.js';
import { doneOf, sendPage } from '../page/page.js';
import { answered } from './answered.js';
import { pageSize } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { ProposedMoney } from './proposed-money.js';
import { WaitingChanges } from './proposals.controller.js';
import { waitingPage } from './waiting-page.js';
import { sharesOf, type Unknown, type Waiting, type WaitingShares } from './waiting-shares.js';

/** Entries of each kind that are counted: the sidebar shows more than 99 as such. */
const maxCounted = 100;

/** Reads everything that needs a second person, a page of each kind. */
@Injectable()
export class WaitingForTwo {
  constructor(
    private readonly database: Database,
    private readonly changes: WaitingChanges,
    private readonly access: AccessRequests,
  ) {}

  /** Reads each kind by itself: if the views cannot be read, the records and the log still answer (POR-31). */
  async of({ roles }: Pick<Viewer, 'roles'>, size = pageSize): Promise<Waiting> {
    const { database } = this;
    const limit = size + 1;
    const unknown: Unknown[] = [];
    const read = async <Rows>(
      kind: Unknown['kind'],
      ask: () => Promise<Rows>,
      none: Rows,
    ): Promise<Rows> => {
      const rows = await answered(ask);
      if ('facts' in rows) return rows.facts;
      unknown.push({ kind, problem: rows.problem });
      return none;
    };
    const [reviews, corrections, payouts, batches, changes, requests] = await Promise.all([
      read('review', () => findOpenProposals(database, limit), []),
      read('correction', () => listCorrections(database, { open: true, limit: size }), {
        corrections: [],
        more: false,
      }),
      read(
        'payout',
        () => listUnsettledPayouts(database, { status: 'pending_approval', limit }),
        [],
      ),
      read('batch', () => listUnsettledBatches(database, { step: 'requested', limit }), []),
      read('proposal', () => this.changes.list(limit), []),
      // Requests name people, and only admins decide about them.
      permits(roles, 'access.decide') ? read('request', () => this.access.listSent(limit), []) : [],
    ]);
    // A payout of a batch is decided with its batch.
    const alone = payouts.filter(({ batch, step }) => batch === null && step === 'reserved');
    // A role names a person, whom only those may see who see roles.
    const seen = changes.filter(({ kind }) => kind !== 'role' || permits(roles, 'roles.see'));
    const lists = [reviews, payouts, batches, changes, requests];
    return {
      reviews: reviews.slice(0, size),
      corrections: corrections.corrections,
      payouts: alone.slice(0, size),
      batches: batches.slice(0, size),
      changes: seen.slice(0, size),
      requests: requests.slice(0, size),
      unknown,
      more: corrections.more || lists.some(({ length }) => length > size),
    };
  }

  /**
   * The entries that the viewer may decide and those of other people, at most `maxCounted` of each kind.
   * @returns undefined while a kind cannot be read
   */
  async shares(viewer: Viewer): Promise<WaitingShares | undefined> {
    const waiting = await this.of(viewer, maxCounted);
    return waiting.unknown.length > 0 ? undefined : sharesOf(waiting, viewer);
  }
}

@Controller('portal/waiting')
export class WaitingController {
  constructor(
    private readonly waiting: WaitingForTwo,
    private readonly money: ProposedMoney,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  @Permits('reviews.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const waiting = await this.waiting.of(viewer);
    const { reviews, corrections, payouts, batches, changes, requests, unknown } = waiting;
    const context = await this.contexts.naming(viewer, {
      people: [
        ...[...reviews, ...corrections, ...changes].map(({ proposedBy }) => proposedBy),
        ...[...changes, ...requests].map(({ askedBy }) => askedBy),
      ],
      // The views hold the merchants' names as well, so they are not read either.
      merchants:
        unknown.length > 0
          ? []
          : [
              ...reviews.flatMap(({ stream }) => itemOf(stream)?.key.merchantId ?? []),
              ...[...corrections, ...payouts, ...requests].map(({ merchantId }) => merchantId),
              ...batches.map(({ key }) => key.merchantId),
              ...changes.flatMap(({ merchantId }) => merchantId ?? []),
            ],
    });
    const moneyOf = await answered(() => this.money.of(unknown.length > 0 ? [] : reviews));
    const content = waitingPage(waiting, context, 'facts' in moneyOf ? moneyOf.facts : new Map());
    const { title } = context.texts.waiting;
    const said: Readonly<Record<string, string>> = context.texts.done;
    const done = said[doneOf(request) ?? ''];
    sendPage(request, reply, { title, content, place: 'waiting', refresh: 30, done });
  }
}
