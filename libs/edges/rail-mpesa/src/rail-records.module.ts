import { Module } from '@nestjs/common';
import { RailWords } from './callback/rail-words.js';
import { RecordedRailWords } from './callback/recorded-rail-words.js';
import { ClaimedCheckouts } from './inbox/claimed-checkouts.js';
import { RecordedUnopenedCallbacks } from './callback/recorded-unopened-callbacks.js';
import { UnopenedCallbacks } from './callback/unopened-callbacks.js';
import { Inbox } from './inbox/inbox.js';
import { RecordedClaimedCheckouts } from './inbox/recorded-claimed-checkouts.js';
import { RecordedInbox } from './inbox/recorded-inbox.js';

/** What callbacks and the worker share: the inbox, the claims of checkout ids and the rail's raw words. Needs Database and Clock. */
@Module({
  providers: [
    { provide: ClaimedCheckouts, useClass: RecordedClaimedCheckouts },
    { provide: Inbox, useClass: RecordedInbox },
    { provide: RailWords, useClass: RecordedRailWords },
    { provide: UnopenedCallbacks, useClass: RecordedUnopenedCallbacks },
  ],
  exports: [ClaimedCheckouts, Inbox, RailWords, UnopenedCallbacks],
})
export class RailRecordsModule {}
