import { twoAdminsModule } from '#adapters/wiring';
import { SealingModule } from '#domain/audit';
import { ReviewsModule } from '#domain/collections';
import { CorrectionsModule } from '#domain/corrections';
import { DrillsModule } from '#domain/drills';
import { EvidenceModule } from '#domain/evidence';
import { LossesModule } from '#domain/losses';
import { MerchantsModule } from '#domain/merchants';
import { PayoutApprovalsModule, PayoutPausesModule, PayoutReviewsModule } from '#domain/payouts';
import { PeopleModule } from '#domain/people';
import { NoticeAddressesModule, RailReportsModule } from '#domain/rails';
import { ReconciliationModule } from '#domain/reconciliation';
import { SettlementsModule } from '#domain/settlements';
import { V3RetirementModule } from '#domain/v3-retirement';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { InfrastructureModule, type InfrastructureOptions } from './infrastructure.module.js';
import { ReviewPortsModule } from './review-ports.module.js';
import { Database } from '#infra/postgres';
import { armCrashPoints, createLogger, NestLogger } from '#infra/runtime';
import { offsetProblem } from '#views/view-set';
import { NestFactory } from '@nestjs/core';
import { Refused } from './refused.js';
import { serversOf } from './servers.js';
import { settingsOrRefused } from './settings.js';

@Module({})
export class AppModule {
  static with(options: InfrastructureOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(options),
        ReviewPortsModule.with(options.settings),
        CorrectionsModule,
        DrillsModule,
        EvidenceModule,
        LossesModule,
        MerchantsModule,
        NoticeAddressesModule,
        RailReportsModule,
        PayoutApprovalsModule,
        PayoutPausesModule,
        PayoutReviewsModule,
        PeopleModule,
        ReconciliationModule,
        ReviewsModule,
        SealingModule,
        SettlementsModule,
        twoAdminsModule(),
        V3RetirementModule,
      ],
    };
  }
}

type Check = (app: INestApplicationContext) => Promise<void>;
let check: Check | undefined;

/** Sets the check that each work of the command passes first; undefined for none. It throws Refused. */
export function checkBeforeWork(next: Check | undefined): void {
  check = next;
}

/**
 * Connects, does the work, and disconnects.
 * @throws Refused if the check before the work refuses it, if there are no servers, or if CLOCK_OFFSET is set beside live
 *   data (OPS-11)
 */
export async function withApp<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const settings = settingsOrRefused();
  if (settings.crashAt)
    armCrashPoints(settings.crashAt, createLogger({ app: 'cli', destination: process.stderr }));
  // The libraries' logs would hide the command's own lines, which a person reads.
  const logger = createLogger({ app: 'cli', level: 'silent' });
  const app = await NestFactory.createApplicationContext(
    AppModule.with({ servers: await serversOf(settings), logger, settings }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
  try {
    const problem = await offsetProblem(app.get(Database), settings.clockOffsetMs);
    if (problem !== undefined) throw new Refused([problem]);
    await check?.(app);
    return await work(app);
  } finally {
    await app.close();
  }
}
