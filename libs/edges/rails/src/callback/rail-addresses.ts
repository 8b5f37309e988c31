import { type Mode } from '#domain/kernel';
import { AddressRanges, type MpesaRailSettings } from '#infra/runtime';

/** The addresses from which a mode's callbacks are the rail's own (RAIL_MPESA_<mode>_CALLBACK_IPS). */
export class RailAddresses {
  readonly #ranges: Readonly<Record<Mode, AddressRanges>>;

  constructor(rails: Readonly<Record<Mode, MpesaRailSettings | undefined>>) {
    this.#ranges = {
      live: new AddressRanges(rails.live?.callbackIps ?? []),
      demo: new AddressRanges(rails.demo?.callbackIps ?? []),
    };
  }

  has(mode: Mode, address: string | undefined): boolean {
    return address !== undefined && this.#ranges[mode].has(address);
  }
}
