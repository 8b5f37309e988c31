import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AcceptRailDifferenceHandler } from './balance/accept-difference.command.js';
import { CompareRailBalanceHandler } from './balance/compare-balance.command.js';
import { PostBankSettlementHandler } from './post/post-bank-settlement.command.js';

/** Needs, from the app's infrastructure: EventStore, Pipeline, ReceiptUse. */
@Module({
  imports: [CqrsModule],
  providers: [AcceptRailDifferenceHandler, CompareRailBalanceHandler, PostBankSettlementHandler],
})
export class SettlementsModule {}
