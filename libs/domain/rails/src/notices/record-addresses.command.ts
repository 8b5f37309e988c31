import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type NoticeAddressesRegistered,
  noticeEventTypes,
  noticesStream,
} from './notice-addresses.events.js';

/** Records that the rail accepted our addresses for notices (C2B-11). */
export class RecordNoticeAddresses extends Command<void> {
  constructor(
    readonly registered: NoticeAddressesRegistered['data'],
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordNoticeAddresses)
export class RecordNoticeAddressesHandler implements ICommandHandler<RecordNoticeAddresses> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ registered, metadata }: RecordNoticeAddresses): Promise<void> {
    const event: NoticeAddressesRegistered = {
      type: 'NoticeAddressesRegistered',
      data: registered,
    };
    await this.pipeline.note({ types: noticeEventTypes, stream: noticesStream, metadata }, event);
  }
}
