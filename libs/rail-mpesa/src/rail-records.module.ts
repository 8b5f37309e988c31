import { Module } from '@nestjs/common';
import { RailWords } from './callback/rail-words.js';
import { RecordedRailWords } from './callback/recorded-rail-words.js';
import { Inbox } from './inbox/inbox.js';
import { RecordedInbox } from './inbox/recorded-inbox.js';

/** What callbacks and the worker share: the inbox and the rail's raw words. Needs Database. */
@Module({
  providers: [
    { provide: Inbox, useClass: RecordedInbox },
    { provide: RailWords, useClass: RecordedRailWords },
  ],
  exports: [Inbox, RailWords],
})
export class RailRecordsModule {}
