import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { IssueFinalNoticeHandler } from './notice/issue-final-notice.command.js';
import { RetireV3Handler } from './retire/retire-v3.command.js';

/** Needs, from the app's infrastructure: Pipeline, EventStore. */
@Module({
  imports: [CqrsModule],
  providers: [IssueFinalNoticeHandler, RetireV3Handler],
})
export class V3RetirementModule {}
