import { type Provider, type Type } from '@nestjs/common';
import { AccessRequestsController } from './access.controller.js';
import { TakeUps } from './take-ups.js';
import { Corrections, CorrectionsController } from './corrections.controller.js';
import { CorrectedMerchants, CorrectionForms } from './correction-forms.js';
import { NewCorrectionController } from './new-correction.controller.js';
import { FindController, Search } from './find.controller.js';
import { ItemController } from './item.controller.js';
import { ItemLoader, PricedCases } from './item-loader.js';
import { MerchantsController } from './merchants.controller.js';
import { PageContexts } from './page-contexts.js';
import { ProposedMoney } from './proposed-money.js';
import { ProposalsController, WaitingChanges } from './proposals.controller.js';
import { ReviewDecisions } from './review-decisions.js';
import { ReviewsController } from './reviews.controller.js';
import { PeopleSessionsController } from './people-sessions.controller.js';
import { RoleChoices } from './grant-form.js';
import { RolesController, RolesNow } from './roles.controller.js';
import { PlatformMoneyReader } from './platform-money.js';
import { PlatformHealth, StatusController } from './status.controller.js';
import { Selection, BulkDecisionsController } from './bulk-decisions.controller.js';
import { WaitingController, WaitingForTwo } from './waiting.controller.js';

/** Operators' pages. */
export const operatorControllers: Type[] = [
  StatusController,
  WaitingController,
  ReviewsController,
  BulkDecisionsController,
  ProposalsController,
  AccessRequestsController,
  RolesController,
  PeopleSessionsController,
  ItemController,
  NewCorrectionController,
  CorrectionsController,
  FindController,
  MerchantsController,
];

/** Dependencies beside the portal's own. */
export const operatorProviders: Provider[] = [
  Selection,
  Corrections,
  CorrectedMerchants,
  CorrectionForms,
  ItemLoader,
  PageContexts,
  PlatformHealth,
  PlatformMoneyReader,
  PricedCases,
  ProposedMoney,
  ReviewDecisions,
  RoleChoices,
  RolesNow,
  Search,
  TakeUps,
  WaitingChanges,
  WaitingForTwo,
];
