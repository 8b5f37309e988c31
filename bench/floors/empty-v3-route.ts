import { findLinkSecrets } from '#records/credentials';
import { FailureLimit, V3Authenticated } from '#edges/api-v3';
import { createHttpApp } from '#shared/http';
import { Clock } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { CachedMerchants } from '#views/merchants';
import { viewSchema } from '#views/view-set';
import { RedisStore } from '#infra/redis';
import { createLogger, loadSettings, Metrics, requireServers, SystemClock } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { V3GateModule, V3GateOptions } from '#edges/v3-gate';
import { Controller, Get, Module } from '@nestjs/common';

/** The floor of `v3-balance`: the same server and the same guard, and a route behind it that does nothing. */
const settings = loadSettings(process.env);
const { databaseUrl: url, masterKeys, redisUrl } = requireServers(settings);
const logger = createLogger({ app: 'empty-v3-route', level: settings.logLevel });
const database = new Database({ url, app: 'empty-v3-route', logger, searchPath: [viewSchema()] });
const metrics = new Metrics();
const keyring = Keyring.from(masterKeys);
const clock = new SystemClock(settings.clockOffsetMs);

@Controller('v3/empty')
class EmptyController {
  @Get()
  @V3Authenticated(() => 'empty')
  empty(): object {
    return { balance: '0.00' };
  }
}

const providers = [
  FailureLimit,
  {
    provide: CachedMerchants,
    useFactory: () =>
      CachedMerchants.open(database, (ids) => findLinkSecrets(database, keyring, ids), clock),
  },
  { provide: Clock, useValue: clock },
  { provide: Database, useValue: database },
  { provide: Metrics, useValue: metrics },
  { provide: RedisStore, useFactory: () => RedisStore.open({ url: redisUrl, logger }) },
  {
    provide: V3GateOptions,
    useValue: new V3GateOptions(
      settings.v4GaDate,
      settings.baseUrl,
      settings.rateLimitV3Restricted,
      logger,
    ),
  },
];

@Module({ providers, exports: providers })
class Fixture {}

@Module({
  imports: [{ module: Fixture, global: true }, V3GateModule],
  controllers: [EmptyController],
})
class EmptyModule {}

const app = await createHttpApp(EmptyModule, {
  trustedProxies: [],
  logger,
  metrics,
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
await app.init();
await app.listen(settings.port, '127.0.0.1');
