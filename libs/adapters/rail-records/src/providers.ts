import { SealedMessages } from '#domain/evidence';
import { Clock, constructed } from '#domain/kernel';
import { AccountNumbers } from '#domain/merchants';
import {
  BalanceRounds,
  ClaimedReferences,
  ExtraQueries,
  Inbox,
  PayoutQueries,
  QuerySchedule,
  RailWorkOptions,
  TakenDays,
  TakenHours,
} from '#edges/rails';
import { UnopenedCallbacks } from '#records/rails';
import { Database } from '#infra/postgres';
import { ProjectedAccountNumbers } from '#views/merchants';
import { type Provider } from '@nestjs/common';
import { RecordedBalanceRounds } from './balance-rounds.js';
import { RecordedClaimedReferences } from './claimed-references.js';
import { RecordedSealedMessages } from '#records/evidence';
import { RecordedExtraQueries } from './extra-queries.js';
import { RecordedInbox } from './inbox.js';
import { RecordedPayoutQueries } from './payout-queries.js';
import { RecordedQuerySchedule } from './query-schedule.js';
import { RecordedTakenDays } from './taken-days.js';
import { RecordedTakenHours } from './taken-hours.js';

/**
 * Stores messages to the edges, finds accounts by number, and implements the ports of rails that callbacks and the
 * worker share. Needs Database (views included) and Clock.
 */
export const railRecords: readonly Provider[] = [
  constructed(SealedMessages, RecordedSealedMessages, [Database]),
  constructed(ClaimedReferences, RecordedClaimedReferences, [Database]),
  constructed(Inbox, RecordedInbox, [Database]),
  constructed(UnopenedCallbacks, UnopenedCallbacks, [Database, Clock]),
  constructed(BalanceRounds, RecordedBalanceRounds, [Database]),
  constructed(AccountNumbers, ProjectedAccountNumbers, [Database]),
];

/** Implements the ports of the worker's steps as well. Also needs RailWorkOptions. */
export const railWorkRecords: readonly Provider[] = [
  ...railRecords,
  constructed(TakenDays, RecordedTakenDays, [Database]),
  constructed(TakenHours, RecordedTakenHours, [Database]),
  constructed(ExtraQueries, RecordedExtraQueries, [Database]),
  constructed(QuerySchedule, RecordedQuerySchedule, [Database, RailWorkOptions, Clock]),
  constructed(PayoutQueries, RecordedPayoutQueries, [Database, RailWorkOptions]),
];
