import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { OpenEvidenceHandler } from './open-evidence.command.js';

/** Opening evidence. Needs, from the app: Pipeline. */
@Module({ imports: [CqrsModule], providers: [OpenEvidenceHandler] })
export class EvidenceModule {}
