import { constructed } from '#domain/kernel';
import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Database, ReadDatabase } from '#infra/postgres';
import { AccessTokens, ClientSecrets, IdempotencyClaims } from '#records/credentials';
import { Keyring } from '#shared/signing';
import { RequestSeal } from '#shared/http';
import { EventStore } from '#domain/event-sourcing';
import { PastReads, ViewProgress } from '#views/view-set';
import { FailedAttempts, KeyClaims, RedisStore, SourceFailures } from '#infra/redis';
import { AccountsController } from './accounts/accounts.controller.js';
import { Admissions, SourceFailureLimit, TokenLimits } from './authentication/limits.js';
import { ClientAuthentication } from './authentication/client-authentication.js';
import { CredentialAnnouncements, credentialCacheProvider } from './authentication/caller.js';
import { TokenController } from './authentication/token.controller.js';
import { CollectionCalls } from './collections/collection-calls.js';
import { CollectionsController } from './collections/collections.controller.js';
import { ExpectedPaymentsController } from './collections/expected-payments.controller.js';
import { Receipts } from './collections/receipt.js';
import { CollectionTermsSource } from './collections/create-collection.dto.js';
import { EventsController } from './events/events.controller.js';
import {
  Idempotency,
  IdempotencySecret,
  openIdempotencySecret,
} from './idempotency/idempotency.js';
import { MoneyCalls } from './idempotency/money-calls.js';
import { MinPosition } from './ledger-position.js';
import { PayoutTermsSource } from './payouts/payout.dto.js';
import { PayoutBatchTermsSource } from './payouts/payout-batch.dto.js';
import { PayoutBatchCalls } from './payouts/payout-batch-calls.js';
import {
  PayoutBatchesController,
  PayoutBatchSummaryController,
} from './payouts/payout-batches.controller.js';
import { PayoutCalls } from './payouts/payout-calls.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { RefundCalls } from './refunds/refund-calls.js';
import { RefundsController } from './refunds/refunds.controller.js';
import { TransactionsController } from './transactions/transactions.controller.js';

/** The controllers of V4. Every route of V4 belongs to one of them. */
export const v4Controllers = [
  TokenController,
  CollectionsController,
  ExpectedPaymentsController,
  RefundsController,
  PayoutsController,
  PayoutBatchesController,
  PayoutBatchSummaryController,
  TransactionsController,
  AccountsController,
  EventsController,
];

/**
 * Needs, from the app's infrastructure: ApiV4Options, Clock, Database and ReadDatabase (search path on the views),
 * RedisStore, EventStore, MerchantDirectory, Rail, PayoutRail, PayoutPhones, Ids, Keyring and PostingProofs; and
 * CollectionsModule, PayoutRequestsModule.
 */
@Module({
  imports: [CqrsModule],
  controllers: v4Controllers,
  providers: [
    Admissions,
    ClientAuthentication,
    CollectionCalls,
    CollectionTermsSource,
    CredentialAnnouncements,
    Idempotency,
    MinPosition,
    MoneyCalls,
    PayoutBatchCalls,
    PayoutBatchTermsSource,
    PayoutCalls,
    PayoutTermsSource,
    Receipts,
    RefundCalls,
    RequestSeal,
    SourceFailureLimit,
    TokenLimits,
    credentialCacheProvider,
    constructed(AccessTokens, AccessTokens, [Database]),
    constructed(ClientSecrets, ClientSecrets, [Database]),
    constructed(IdempotencyClaims, IdempotencyClaims, [Database]),
    {
      provide: IdempotencySecret,
      inject: [Database, Keyring],
      useFactory: openIdempotencySecret,
    },
    constructed(ViewProgress, ViewProgress, [ReadDatabase]),
    constructed(PastReads, PastReads, [ReadDatabase, EventStore]),
    constructed(KeyClaims, KeyClaims, [RedisStore]),
    constructed(FailedAttempts, FailedAttempts, [RedisStore]),
    constructed(SourceFailures, SourceFailures, [RedisStore]),
  ],
})
export class ApiV4Module {}
