import { type Provider, type Type } from '@nestjs/common';
import { AuditController, ItemProofs } from './audit.controller.js';
import { EvidenceController } from './evidence.controller.js';
import { PeopleController } from './people.controller.js';

/** Auditors' pages. */
export const auditorControllers: Type[] = [AuditController, PeopleController, EvidenceController];

/** Dependencies beside the portal's own. The app provides PostingProofs, RoleHistory and the ports of `ports.ts`. */
export const auditorProviders: Provider[] = [ItemProofs];
