import { Module } from '@nestjs/common';
import { NoticesStep } from './notices-step.js';
import { WaitingInRecords, WaitingItems } from './waiting-items.js';

/** Needs, from the app's infrastructure: AnnouncedAdmins, Database (search path on the views), Metrics, NoticeOptions, Proposals. */
@Module({ providers: [NoticesStep, WaitingInRecords, WaitingItems], exports: [NoticesStep] })
export class NoticesModule {}
