import { constructed } from '#domain/kernel';
import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ReadDatabase } from '#infra/postgres';
import { BalanceReader } from '#views/balances';
import { type Settings } from '#infra/runtime';
import { RetainedRequests, RequestSeal } from '#shared/http';
import { V3GateModule } from '#edges/v3-gate';
import { ApiV3Options } from './api-v3.options.js';
import { FailureLimit } from './authentication/v3.guard.js';
import { BalanceController } from './balance/balance.controller.js';
import { CollectController, Collecting } from './collect/collect.controller.js';
import { CollectTerms } from './collect/collect-request.js';

/** Needs, from the app's infrastructure: CachedMerchants, Clock, ReadDatabase (search path on the views), Ids, Keyring, MerchantDirectory, PhoneVault, Rail, RedisStore, SealedMessages, V3GateOptions; and CollectionInitiationModule. */
@Module({
  imports: [CqrsModule, V3GateModule],
  controllers: [BalanceController, CollectController],
  providers: [
    CollectTerms,
    Collecting,
    FailureLimit,
    RetainedRequests,
    RequestSeal,
    constructed(BalanceReader, BalanceReader, [ReadDatabase]),
  ],
})
export class ApiV3Module {
  static with({
    readModelMaxAgeMs,
    webhookAllowPrivate,
  }: Pick<Settings, 'readModelMaxAgeMs' | 'webhookAllowPrivate'>): DynamicModule {
    const options = new ApiV3Options(readModelMaxAgeMs, webhookAllowPrivate ?? false);
    return { module: ApiV3Module, providers: [{ provide: ApiV3Options, useValue: options }] };
  }
}
