import { railWorkRecords } from '#adapters/rail-records';
import { receiptUse, serviceProviders } from '#adapters/wiring';
import { CollectionsModule } from '#domain/collections';
import { SettlementsModule } from '#domain/settlements';
import { RailListsModule, Rails, RailWorkOptions } from '#edges/rails';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import {
  createLogger,
  Metrics,
  NestLogger,
  type ProcessContext,
  SystemClock,
  SystemTimer,
  UuidIds,
} from '#infra/runtime';
import {
  type DynamicModule,
  type INestApplicationContext,
  Module,
  type Provider,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { NestFactory } from '@nestjs/core';
import { Refused } from './refused.js';
import { serversOf } from './servers.js';
import { settingsOrRefused } from './settings.js';

/** The rails, and everything that records their answers, as in the worker. */
@Module({})
class RailServersModule {
  static with(context: ProcessContext): DynamicModule {
    const { settings, servers, logger } = context;
    const providers: Provider[] = [
      // The rail calls back about nothing that a command asks.
      ...serviceProviders(context, { makesCallbackUrls: false }),
      ...railWorkRecords,
      ...receiptUse,
      {
        provide: RedisStore,
        useFactory: () => RedisStore.open({ url: servers.redisUrl, logger, app: 'cli' }),
      },
      { provide: RailWorkOptions, useFactory: () => RailWorkOptions.of(settings) },
    ];
    return { module: RailServersModule, global: true, providers, exports: providers };
  }
}

@Module({})
class RailAppModule {
  static with(context: ProcessContext): DynamicModule {
    const imports = [
      CqrsModule,
      RailServersModule.with(context),
      CollectionsModule,
      RailListsModule,
      SettlementsModule,
    ];
    return { module: RailAppModule, imports };
  }
}

/**
 * Connects to the rails, does the work, and disconnects. It checks no role: call it within `withApp`.
 * @throws Refused if no Redis is named, in which the rails' tokens are
 */
export async function withRails<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const app = await NestFactory.createApplicationContext(
    RailAppModule.with(await railContext(logger)),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  const [rails, store, redis] = [app.get(Rails), app.get(EventStoreDb), app.get(RedisStore)];
  const database = app.get(Database);
  try {
    return await work(app);
  } finally {
    await rails.close();
    // The data keys are read no more.
    await app.close();
    await Promise.all([store.dispose(), redis.close(), database.close()]);
  }
}

async function railContext(logger: ProcessContext['logger']): Promise<ProcessContext> {
  const settings = settingsOrRefused();
  const { redisUrl, ...servers } = await serversOf(settings);
  if (redisUrl === undefined)
    throw new Refused(['the rails’ tokens are in Redis: set REDIS_URL as the service has it']);
  return {
    app: 'cli',
    settings,
    servers: { ...servers, redisUrl },
    logger,
    metrics: new Metrics(),
    clock: new SystemClock(settings.clockOffsetMs),
    timer: new SystemTimer(),
    ids: new UuidIds(),
  };
}
