import { type DynamicModule, Module } from '@nestjs/common';
import { type ProcessContext } from '#infra/runtime';
import { InfrastructureModule } from './infrastructure.module.js';

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return { module: AppModule, imports: [InfrastructureModule.with(context)] };
  }
}
