import { openSubscriberSeal } from '#records/keys';
import { CheckoutIds } from '#edges/rail-mpesa';
import { Database, type Queryable } from '#infra/postgres';
import { Keyring } from '#shared/signing';
import { BatchCases, Cases, type KnownAs, SearchSources } from '#desk/operators';
import { ReceiptClaims, ReceiptUse, ReviewProposals, UsedReceipts } from '#domain/reviews';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, constructed, Timer } from '#domain/kernel';
import { RecordedProposals } from '#records/people';
import { Proposals } from '#domain/proposals';
import { ReceiptsInViews } from '#views/reviews';
import { type Provider } from '@nestjs/common';
import { RecordedReceiptClaims, RecordedReviewProposals } from '#records/reviews';

/** Ensures that a receipt is recorded once. Needs Database, EventStore and Timer. */
export const receiptUse: readonly Provider[] = [
  constructed(ReceiptClaims, RecordedReceiptClaims, [Database]),
  constructed(UsedReceipts, ReceiptsInViews, [EventStore, Database, Timer]),
  constructed(ReceiptUse, ReceiptUse, [EventStore, ReceiptClaims, UsedReceipts]),
];

/**
 * Providers for looking into a collection or payout and deciding on it, in any process. Needs Database, EventStore,
 * Pipeline, Clock, Timer and Keyring.
 */
export const deskRecords: readonly Provider[] = [
  constructed(ReviewProposals, RecordedReviewProposals, [Database]),
  constructed(Proposals, RecordedProposals, [Database]),
  ...receiptUse,
  {
    provide: SearchSources,
    inject: [EventStore, Database, Clock, Keyring],
    useFactory: (store: EventStore, database: Database, clock: Clock, keyring: Keyring) =>
      new SearchSources(store, database, clock, knownAs(database, keyring)),
  },
  constructed(Cases, Cases, [SearchSources, Pipeline]),
  constructed(BatchCases, BatchCases, [Pipeline, Database]),
];

/** Opens the key only for an identifier that holds a number. All others are found even if the key cannot be opened. */
function knownAs(database: Queryable, keyring: Keyring): KnownAs {
  let opened: Promise<CheckoutIds> | undefined;
  const open = async () => new CheckoutIds(await openSubscriberSeal(database, keyring));
  return async (railId) => {
    if (!CheckoutIds.holdsNumber(railId)) return railId;
    opened ??= open();
    opened.catch(() => (opened = undefined));
    return (await opened).referenceOf(railId);
  };
}
