import { ApiDocsModule } from '#api-docs';
import { ApiV3Module } from '#api-v3';
import { ApiV4Module } from '#api-v4';
import { CheckoutModule } from '#checkout';
import { CollectionInitiationModule, CollectionsModule } from '#collections';
import { RailCallbacksModule } from '#rail-mpesa';
import { type ProcessContext } from '#runtime';
import { type DynamicModule, Module } from '@nestjs/common';
import { InfrastructureModule } from './infrastructure.module.js';

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(context),
        CollectionsModule,
        CollectionInitiationModule,
        ApiV4Module,
        ApiV3Module.with(context.settings),
        CheckoutModule,
        ApiDocsModule,
        RailCallbacksModule,
      ],
    };
  }
}
