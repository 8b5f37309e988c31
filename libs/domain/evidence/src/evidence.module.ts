import { EventStore } from '#domain/event-sourcing';
import { Ids } from '#domain/kernel';
import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EraseEvidenceHandler } from './erase-evidence.command.js';
import { EvidenceLog } from './note-evidence.js';
import { OpenEvidenceHandler } from './open-evidence.command.js';

/** What operators do with evidence. Needs, from the app: EventStore, Ids, EvidenceErasure. */
@Module({
  imports: [CqrsModule],
  providers: [
    {
      provide: EvidenceLog,
      inject: [EventStore, Ids],
      useFactory: (store: EventStore, ids: Ids) => new EvidenceLog(store, ids),
    },
    EraseEvidenceHandler,
    OpenEvidenceHandler,
  ],
})
export class EvidenceModule {}
