import { type Callback, type PayoutReports, RailAddresses, type RailCallbacks } from '#edges/rails';
import { type Mode } from '#domain/kernel';
import { readCallback } from './daraja/callback-body.js';
import { readFloat, readPayoutAnswer, readPayoutResult } from './daraja/result-body.js';

/** How Daraja calls back. */
export class MpesaCallbacks implements RailCallbacks {
  readonly channel = 'mpesa';
  readonly acknowledgement = { ResultCode: 0, ResultDesc: 'Accepted' };
  readonly payoutReports: PayoutReports = {
    readResult: readPayoutResult,
    readAnswer: readPayoutAnswer,
    readFloat,
  };
  readonly #addresses: RailAddresses;

  /** @param callbackIps of each mode (RAIL_MPESA_<mode>_CALLBACK_IPS) */
  constructor(callbackIps: Readonly<Record<Mode, readonly string[] | undefined>>) {
    this.#addresses = new RailAddresses(callbackIps);
  }

  readCallback(bytes: Uint8Array): Callback | undefined {
    return readCallback(bytes);
  }

  isOwnAddress(mode: Mode, address: string | undefined): boolean {
    return this.#addresses.has(mode, address);
  }
}
