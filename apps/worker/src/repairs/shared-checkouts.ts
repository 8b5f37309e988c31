import { collectionKeyOf } from '#domain/collections';
import { CollectionsClient } from '#edges/rails';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { type ClaimPlace, sharedCheckouts } from '#views/reviews';
import { Injectable, Logger } from '@nestjs/common';
import { WorkerNow } from '../worker-now.js';
import { Repairs } from './repairs.js';

/** The limit of one step. */
const maxCollections = 50;
const maxClaims = 1000;
/** Longer than a view, or a merchant's part of it, may stop updating. */
const lookedForMs = 7 * 86_400_000;

/**
 * Lists collections for review that got the same checkout id from the rail (RAIL-25). It finds those whose "paid" came
 * by a query before the view knew of the other collection, or by a callback without a receipt. Several workers may do
 * it at once, because each is flagged once.
 */
@Injectable()
export class SharedCheckouts {
  private readonly repairs;
  private after: ClaimPlace | undefined;

  constructor(
    private readonly database: Database,
    private readonly collections: CollectionsClient,
    private readonly worker: WorkerNow,
    metrics: Metrics,
  ) {
    const repaired = {
      name: 'checkouts_shared_flagged_total',
      help: 'Collections listed for review because the rail gave another one their checkout id, which was found out late',
    };
    const log = new Logger('checkouts');
    const msg = 'a shared checkout cannot be flagged';
    this.repairs = new Repairs(
      { what: 'checkout', limit: maxCollections, log, msg, repaired },
      metrics,
    );
  }

  /** @throws DependencyUnavailable */
  step(): Promise<'idle'> {
    return this.repairs.step(
      (page) => this.shared(page),
      (stream) => this.flag(stream),
    );
  }

  private async shared(page: {
    readonly limit: number;
    readonly after: string;
  }): Promise<string[]> {
    const { after } = this;
    const look = { forMs: lookedForMs, after, claims: maxClaims };
    const { streams, place } = await sharedCheckouts(this.database, look);
    const found = streams.filter((stream) => stream > page.after).slice(0, page.limit);
    // A full page continues within the same claims.
    if (found.length < page.limit) this.after = place;
    return found;
  }

  private async flag(stream: string): Promise<void> {
    const key = collectionKeyOf(stream);
    if (!key || (await this.collections.wasFlagged(key, 'checkout_of_another'))) return;
    const metadata = this.worker.metadata();
    if ((await this.collections.flag(key, 'checkout_of_another', metadata)) === 'flagged')
      this.repairs.countRepaired(stream, 'a checkout id is another collection’s as well');
  }
}
