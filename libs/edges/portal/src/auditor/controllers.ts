import { type Provider, type Type } from '@nestjs/common';
import { AuditController, ItemProofs } from './audit.controller.js';
import { EvidenceController } from './evidence.controller.js';
import { PeopleController } from './people.controller.js';

/** Auditors' pages. */
export const auditorControllers: Type[] = [AuditController, PeopleController, EvidenceController];

/** What they need beside the portal's own; the app provides PostingProofs, RoleHistory and the ports of `ports.ts`. */
export const auditorProviders: Provider[] = [ItemProofs];
