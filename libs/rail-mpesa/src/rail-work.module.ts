import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Rail } from '#collections';
import { Database } from '#postgres';
import { CallbackKeys } from './callback/callback-keys.js';
import { CollectionBus } from './collection-bus.js';
import { CheckoutClaims } from './inbox/checkout-claims.js';
import { DoubtfulCallbacks } from './inbox/doubtful-callbacks.js';
import { InboxStep } from './inbox/inbox-step.js';
import { RailReferences } from './inbox/rail-references.js';
import { QueryStep, type QueryStepOptions } from './query/query-step.js';

export interface RailWorkOptions {
  /** RAIL_QUERY_DELAYS. */
  readonly queryDelaysMs: readonly number[];
}

/**
 * The worker's steps: InboxStep and QueryStep. Needs, from the app's infrastructure: Rail, Keyring, Ids,
 * Clock, Database (views included), EventStore, and handlers for ConfirmCollection and FindCollection.
 */
@Module({})
export class RailWorkModule {
  static with({ queryDelaysMs }: RailWorkOptions): DynamicModule {
    return {
      module: RailWorkModule,
      imports: [CqrsModule],
      providers: [
        CallbackKeys,
        CheckoutClaims,
        CollectionBus,
        DoubtfulCallbacks,
        InboxStep,
        RailReferences,
        {
          provide: QueryStep,
          inject: [Database, Rail, CollectionBus, CheckoutClaims, CallbackKeys],
          useFactory: (...parts: QueryStepParts) => new QueryStep(optionsOf(parts, queryDelaysMs)),
        },
      ],
      exports: [InboxStep, QueryStep],
    };
  }
}

type QueryStepParts = [Database, Rail, CollectionBus, CheckoutClaims, CallbackKeys];

function optionsOf(parts: QueryStepParts, delaysMs: readonly number[]): QueryStepOptions {
  const [database, rail, collections, claims, keys] = parts;
  return { database, rail, collections, claims, keys, delaysMs };
}
