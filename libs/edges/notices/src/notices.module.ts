import { Module } from '@nestjs/common';
import { NoticesStep, WaitingItems } from './notices-step.js';

/** Needs, from the app's infrastructure: AnnouncedAdmins, CaseRecords, Database (search path on the views), Metrics, NoticeBook, NoticeOptions, Proposals, RoleProposals. */
@Module({ providers: [NoticesStep, WaitingItems], exports: [NoticesStep] })
export class NoticesModule {}
