import { Module } from '@nestjs/common';
import { CallCounter } from './call-counter.js';
import { LeavingController } from './page/leaving-page.js';
import { RestrictedRate, V3Gate } from './v3-gate.js';
import { RetirementWatch } from './retirement-watch.js';

/** Needs, from the app's infrastructure: V3GateOptions, Clock, Database (search path on the views), RedisStore, Metrics. */
@Module({
  controllers: [LeavingController],
  providers: [CallCounter, RestrictedRate, RetirementWatch, V3Gate],
  exports: [V3Gate],
})
export class V3GateModule {}
