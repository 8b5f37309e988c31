import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EraseEvidenceHandler } from './erase-evidence.command.js';
import { OpenEvidenceHandler } from './open-evidence.command.js';

/** What operators do with evidence. Needs, from the app: Pipeline, EvidenceErasure. */
@Module({ imports: [CqrsModule], providers: [EraseEvidenceHandler, OpenEvidenceHandler] })
export class EvidenceModule {}
