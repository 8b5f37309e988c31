import { Module } from '@nestjs/common';
import { RailMessages } from './callback/rail-messages.js';
import { RecordedRailMessages } from './callback/recorded-rail-messages.js';
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
    { provide: RailMessages, useClass: RecordedRailMessages },
    { provide: UnopenedCallbacks, useClass: RecordedUnopenedCallbacks },
  ],
  exports: [ClaimedCheckouts, Inbox, RailMessages, UnopenedCallbacks],
})
export class RailRecordsModule {}
