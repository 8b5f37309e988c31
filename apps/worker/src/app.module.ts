import { type DynamicModule, Module } from '@nestjs/common';
import { CollectionsModule } from '#collections';
import { RailWorkModule } from '#rail-mpesa';
import { type ProcessContext } from '#runtime';
import { InfrastructureModule } from './infrastructure.module.js';

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [InfrastructureModule.with(context), CollectionsModule, RailWorkModule],
    };
  }
}
