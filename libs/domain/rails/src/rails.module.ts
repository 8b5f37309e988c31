import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { RecordNoticeAddressesHandler } from './notices/record-addresses.command.js';

/** Needs, from the app's infrastructure: Pipeline. */
@Module({ imports: [CqrsModule], providers: [RecordNoticeAddressesHandler] })
export class NoticeAddressesModule {}
