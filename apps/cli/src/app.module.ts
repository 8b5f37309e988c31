import { ReviewsModule } from '#collections';
import { CorrectionsModule } from '#corrections';
import { MerchantsModule } from '#merchants';
import { V3RetirementModule } from '#v3-retirement';
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
