import { constructed } from '#domain/kernel';
import { EventStore } from '#domain/event-sourcing';
import { Database, ReadDatabase } from '#infra/postgres';
import { CallRecords } from '#records/credentials';
import { AccessRequests } from '#records/people';
import { RequestSeal, RetainedRequests } from '#shared/http';
import { PastReads } from '#views/view-set';
import { type Provider, type Type } from '@nestjs/common';
import { AccessController } from './access/access.controller.js';
import { AccessDesk } from './access/access-desk.js';
import { Colleagues } from './colleagues.js';
import { Comparisons } from './days/comparisons.js';
import { DayClosing, DayRecords } from './days/day-records.js';
import { DaysController } from './days/days.controller.js';
import { KeyFormReader, KeyTools } from './developer/key-form-reader.js';
import { KeyFormsController } from './developer/key-forms.controller.js';
import { KeysController, ToolsController } from './developer/developer.controller.js';
import { EndpointController } from './developer/endpoint.controller.js';
import { FailedWebhooksController } from './developer/failed.controller.js';
import { OwnCredentials } from './developer/own-credentials.js';
import { EndpointTools } from './developer/ports.js';
import { Resender } from './developer/resender.js';
import { TeamController, TeamReader } from './developer/team.controller.js';
import { WebhooksController } from './developer/webhooks.controller.js';
import { CallLog } from './requests/call-log.js';
import { BatchesController } from './payouts/batches.controller.js';
import { PayoutForms } from './payouts/payout-forms.js';
import { PayoutLists, WaitingPayoutFacts } from './payouts/payout-lists.js';
import { PortalBatches } from './payouts/portal-batches.js';
import { PortalPayouts } from './payouts/portal-payouts.js';
import { SealedForms } from './payouts/sealed-forms.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { HomeController, HomeReader } from './home/home.controller.js';
import { Places } from './place.js';
import { PortalRefunds } from './refunds/portal-refunds.js';
import { RefundForms } from './refunds/refund-forms.js';
import { RefundsController } from './refunds/refunds.controller.js';
import { LedgerDays, StatementController } from './statement/statement.controller.js';
import { Items, ItemsController } from './transactions/items.controller.js';
import { ReceiptController } from './transactions/receipt.controller.js';
import { PaymentSearch, SearchController } from './transactions/search.controller.js';
import { TransactionsController } from './transactions/transactions.controller.js';
import { TransactionsReader } from './transactions/transactions-reader.js';

/** Pages of merchants' own people. */
export const merchantControllers: Type[] = [
  HomeController,
  TransactionsController,
  SearchController,
  ItemsController,
  ReceiptController,
  RefundsController,
  StatementController,
  DaysController,
  BatchesController,
  PayoutsController,
  KeysController,
  TeamController,
  AccessController,
  ToolsController,
  KeyFormsController,
  EndpointController,
  FailedWebhooksController,
  WebhooksController,
];

/**
 * Dependencies beside the portal's own. The app provides MerchantPagesOptions, DeveloperPagesOptions,
 * TestWebhooks, StatementReader and HolderDirectory, and handlers of the commands about endpoints and credentials.
 */
export const merchantProviders: Provider[] = [
  AccessDesk,
  CallLog,
  Colleagues,
  Comparisons,
  DayClosing,
  DayRecords,
  HomeReader,
  EndpointTools,
  Items,
  OwnCredentials,
  RetainedRequests,
  KeyFormReader,
  KeyTools,
  LedgerDays,
  Places,
  PaymentSearch,
  PayoutForms,
  PayoutLists,
  PortalBatches,
  PortalPayouts,
  PortalRefunds,
  RefundForms,
  RequestSeal,
  Resender,
  SealedForms,
  TeamReader,
  TransactionsReader,
  WaitingPayoutFacts,
  constructed(AccessRequests, AccessRequests, [Database]),
  constructed(CallRecords, CallRecords, [Database]),
  constructed(PastReads, PastReads, [ReadDatabase, EventStore]),
];
