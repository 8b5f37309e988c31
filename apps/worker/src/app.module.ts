import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SealingModule } from '#domain/audit';
import { CollectionsModule } from '#domain/collections';
import { CorrectionCompletionModule } from '#domain/corrections';
import { WebhookEndpointsModule } from '#domain/merchants';
import { PayoutReportsModule, PayoutWorkModule } from '#domain/payouts';
import { SettlementsModule } from '#domain/settlements';
import { NoticesModule } from '#edges/notices';
import { RailWorkModule } from '#edges/rails';
import { WebhooksModule } from '#edges/webhooks';
import { type ProcessContext } from '#infra/runtime';
import { BreakGlassStep } from './break-glass.js';
import { DailySeal, SealParts, SealServers } from './daily-seal.js';
import { InfrastructureModule } from './infrastructure.module.js';
import { PayoutNumberSweep } from './payout-numbers.js';
import { WebhookUpkeep } from './webhook-upkeep.js';
import { WorkerNow } from './worker-now.js';

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CqrsModule,
        InfrastructureModule.with(context),
        CollectionsModule,
        CorrectionCompletionModule,
        NoticesModule,
        PayoutReportsModule,
        PayoutWorkModule,
        RailWorkModule,
        SealingModule,
        SettlementsModule,
        WebhookEndpointsModule,
        WebhooksModule,
      ],
      providers: [
        BreakGlassStep,
        DailySeal,
        PayoutNumberSweep,
        SealParts,
        SealServers,
        WebhookUpkeep,
        WorkerNow,
      ],
    };
  }
}
