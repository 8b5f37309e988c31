import { ApiDocsModule } from '#edges/api-docs';
import { ApiV3Module } from '#edges/api-v3';
import { ApiV4Module } from '#edges/api-v4';
import { CheckoutModule } from '#edges/checkout';
import { CollectionInitiationModule, CollectionsModule } from '#domain/collections';
import { RailCallbacksModule } from '#edges/rails';
import { type ProcessContext } from '#infra/runtime';
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
