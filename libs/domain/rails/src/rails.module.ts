import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { RecordNoticeAddressesHandler } from './notices/record-addresses.command.js';
import { DismissRailReportHandler } from './reports/dismiss-report.command.js';

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [RecordNoticeAddressesHandler] })
export class NoticeAddressesModule {}

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [DismissRailReportHandler] })
export class RailReportsModule {}
