import { type AirtelPayoutServer } from './airtel-payout-server.js';
import { type AirtelServer } from './airtel-server.js';
import { type BookedOrder, type PayoutServer } from './payout-server.js';
import { type RailServer, type TakenPush } from './rail-server.js';

interface Servers {
  readonly rail: RailServer;
  readonly airtel: AirtelServer;
  readonly payoutRail: PayoutServer;
  readonly airtelPayouts: AirtelPayoutServer;
}

/** The books of both rails: what they really took and paid, whatever they say. */
export class RailBooks {
  constructor(private readonly servers: Servers) {}

  pushOf(stream: string): TakenPush | undefined {
    const { rail, airtel } = this.servers;
    return rail.promptOf(stream) ?? airtel.pushOf(stream);
  }

  ordersOf(stream: string): readonly BookedOrder[] {
    const { payoutRail, airtelPayouts } = this.servers;
    return [...payoutRail.ordersOf(stream), ...airtelPayouts.ordersOf(stream)];
  }

  paidFor(stream: string): bigint {
    return this.ordersOf(stream).reduce((sum, { paidMinor = 0n }) => sum + paidMinor, 0n);
  }
}
