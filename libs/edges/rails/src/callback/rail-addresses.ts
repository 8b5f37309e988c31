import { type Mode } from '#domain/kernel';
import { AddressRanges } from '#infra/runtime';

/** The addresses and CIDRs from which a mode's callbacks are a rail's own. */
export class RailAddresses {
  readonly #ranges: Readonly<Record<Mode, AddressRanges>>;

  constructor(ranges: Readonly<Record<Mode, readonly string[] | undefined>>) {
    this.#ranges = {
      live: new AddressRanges(ranges.live ?? []),
      demo: new AddressRanges(ranges.demo ?? []),
    };
  }

  has(mode: Mode, address: string | undefined): boolean {
    return address !== undefined && this.#ranges[mode].has(address);
  }
}
