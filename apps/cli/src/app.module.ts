import { ReviewsModule } from '#domain/collections';
import { CorrectionsModule } from '#domain/corrections';
import { MerchantsModule } from '#domain/merchants';
import { V3RetirementModule } from '#domain/v3-retirement';
import { type DynamicModule, Module } from '@nestjs/common';
import { type InfrastructureOptions, InfrastructureModule } from './infrastructure.module.js';
import { ReviewPortsModule } from './review-ports.module.js';

@Module({})
export class AppModule {
  static with(options: InfrastructureOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(options),
        ReviewPortsModule.with(options.settings),
        CorrectionsModule,
        MerchantsModule,
        ReviewsModule,
        V3RetirementModule,
      ],
    };
  }
}
