import { answeredOf } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, postedPerSecond, type Round } from '../load/lifecycles.js';
import { type Cost, measurement, type Measurement } from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { type Service, startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { addUp, costOf } from '../servers/usage.js';
import { sumOf } from '../statistics.js';

const turn = { seconds: 10, rampSeconds: 3 };

/** The properties in which a service differs from the one that it is compared with. */
export interface Difference {
  /** The variant's name on the page. */
  readonly name: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly replicas?: number;
}

/** A service that takes turns with another one, and its rounds so far. */
export class Variant {
  readonly rounds: Round[] = [];

  private constructor(
    readonly name: string,
    readonly service: Service,
    private readonly lifecycles: Lifecycles,
    private readonly ledger: { close(): Promise<void> },
  ) {}

  static async begin(
    fixture: Fixture,
    load: LoadGenerator,
    { name, settings = {}, replicas = 1 }: Difference,
  ): Promise<Variant> {
    const service = await startService(fixture, settings, { replicas });
    const ledger = await openServiceLedger(service);
    const lifecycles = new Lifecycles(ledger, service.merchant, load);
    return new Variant(name, service, lifecycles, ledger);
  }

  warmUp(fixture: Fixture): Promise<void> {
    return this.lifecycles.warmUp(fixture);
  }

  async run(seconds: number): Promise<void> {
    this.rounds.push(...(await this.lifecycles.run(seconds, turn.rampSeconds)));
  }

  /** Returns the processor time of a collection, by process. */
  cost(): Cost {
    const pieces = answeredOf(this.rounds.map(({ burst }) => burst));
    return costOf(this.name, addUp(this.rounds.map(({ spent }) => spent)), pieces);
  }

  async end(): Promise<void> {
    await this.ledger.close();
    await this.service.stop();
  }
}

/**
 * Lets two services take lifecycles by turns of ten seconds.
 * @param seconds of each
 * @param during runs a variant's turn
 * @param findings reads both before they end
 */
export async function byTurns<T>(
  { fixture, seconds }: { readonly fixture: Fixture; readonly seconds: number },
  differences: readonly [Difference, Difference],
  during: (variant: Variant, run: () => Promise<void>) => Promise<void>,
  findings: (floor: Variant, value: Variant) => T,
): Promise<T> {
  const load = new LoadGenerator();
  const begun: Variant[] = [];
  const begin = async (difference: Difference): Promise<Variant> => {
    const variant = await Variant.begin(fixture, load, difference);
    begun.push(variant);
    return variant;
  };
  try {
    const [floor, value] = [await begin(differences[0]), await begin(differences[1])];
    for (const variant of [floor, value]) await variant.warmUp(fixture);
    for (let left = seconds; left > 0; left -= turn.seconds)
      for (const variant of [floor, value])
        await during(variant, () => variant.run(Math.min(left, turn.seconds)));
    return findings(floor, value);
  } finally {
    load.stop();
    for (const variant of begun) await variant.end();
  }
}

/** Returns `<name>_cpu` and `<name>_rate`: the value's against the floor's. */
export function compared(name: string, floor: Variant, value: Variant): Measurement[] {
  const anon_mb = Math.max(...value.rounds.map(({ anonMb }) => anonMb ?? 0)) || null;
  const total = (of: Variant): number => sumOf(Object.values(of.cost().ms), (ms) => ms);
  return [
    measurement({
      name: `${name}_cpu`,
      value: total(value),
      unit: 'ms',
      floor: total(floor),
      anon_mb,
    }),
    measurement({
      name: `${name}_rate`,
      value: postedPerSecond(value.rounds),
      unit: 'collections/s',
      floor: postedPerSecond(floor.rounds),
      anon_mb,
    }),
  ];
}
