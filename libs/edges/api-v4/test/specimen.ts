import { generateKeyPairSync } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import { Rail } from '#domain/rails';
import { Clock, DependencyUnavailable } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import { RedisStore, SourceFailures } from '#infra/redis';
import { hashSecret } from '#shared/signing';
import { ApiV4Options } from '../src/index.js';
import { Admissions, SourceFailureLimit } from '../src/authentication/limits.js';
import {
  ByCaller,
  type Caller,
  CredentialCache,
  MoneyMovement,
  readyCredential,
} from '../src/authentication/caller.js';
import { V4Authenticated } from '../src/authentication/v4.guard.js';
import {
  CollectionTermsSource,
  CreateCollectionDto,
} from '../src/collections/create-collection.dto.js';
import { ListTransactionsDto } from '../src/transactions/list-transactions.dto.js';
import { validated, validatedAgainst } from '../src/validation/validated.js';
import { LimitsOnly, OneAccount } from './ports.js';

export const nowMs = Date.parse('2026-11-21T12:00:00Z');
export const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const token = 'a-token';
export const credential = readyCredential(
  {
    credentialId: 'credential-1',
    clientId: 'client-1',
    merchantId: 'm1',
    mode: 'demo',
    holder: 'till',
    publicKeyPem: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    ipRanges: ['198.51.100.0/24'],
  },
  { limit: 100, intervalMs: 1000, burst: 200 },
);

@Controller('money')
@V4Authenticated()
class Specimen {
  @Post()
  @HttpCode(202)
  @MoneyMovement()
  create(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, CollectionTermsSource)) dto: CreateCollectionDto,
  ) {
    const { idempotencyKey, evidence } = caller;
    return { idempotencyKey, evidence, holder: caller.credential.holder, reference: dto.reference };
  }

  @Get()
  list(@Query(validated(ListTransactionsDto)) query: ListTransactionsDto) {
    return query;
  }
}

/** A clock that is stopped, unless a spec moves it. */
export const clock = { nowMs };
class FixedClock extends Clock {
  override nowMs = () => clock.nowMs;
}

/** Redis's answer to the next request, the number of requests, and the number of failures reported to it. */
export const redis = {
  nonceReused: false,
  limited: false,
  down: false,
  asked: 0,
  failures: 0,
  maxFailures: Infinity,
  /** The microseconds for which a source that failed too often waits. */
  waitMicros: 90_000,
};
const store = {
  run: ({ name }: { readonly name: string }): Promise<unknown> => {
    if (name === 'pesapostCountFailure') {
      redis.failures += 1;
      return Promise.resolve(redis.failures > redis.maxFailures ? redis.waitMicros : 0);
    }
    redis.asked += 1;
    if (redis.down) return Promise.reject(new DependencyUnavailable('redis', 'down'));
    if (redis.nonceReused) return Promise.resolve(['nonce_reused', 0, 0, 0]);
    return Promise.resolve(
      redis.limited ? ['limited', 0, 1_500_000, 2_000_000] : ['ok', 199, 0, 10_000],
    );
  },
} as unknown as RedisStore;

@Module({
  controllers: [Specimen],
  providers: [
    { provide: Clock, useClass: FixedClock },
    { provide: MerchantDirectory, useClass: OneAccount },
    { provide: Rail, useValue: new LimitsOnly() },
    { provide: RedisStore, useValue: store },
    { provide: ApiV4Options, useValue: new ApiV4Options(credential.rate, 60_000, undefined) },
    CollectionTermsSource,
    Admissions,
    SourceFailureLimit,
    { provide: SourceFailures, useValue: new SourceFailures(store) },
    {
      provide: CredentialCache,
      useValue: new CredentialCache({
        load: (hash) =>
          Promise.resolve(
            hash.equals(hashSecret(token))
              ? { credential, expiresAtMs: nowMs + 1000 }
              : hash.equals(hashSecret('an-old-token'))
                ? { credential, expiresAtMs: nowMs }
                : undefined,
          ),
      }),
    },
  ],
})
export class SpecimenModule {}
