import { append } from './cases/append.js';
import { checkout } from './cases/checkout.js';
import { create } from './cases/create.js';
import { history } from './cases/history.js';
import { leaderChange } from './cases/leader-change.js';
import { lifecycle } from './cases/lifecycle.js';
import { list } from './cases/list.js';
import { notices } from './cases/notices.js';
import { openLoop } from './cases/open-loop.js';
import { payouts } from './cases/payouts.js';
import { pages } from './cases/pages.js';
import { peer } from './cases/peer.js';
import { read } from './cases/read.js';
import { rebuild } from './cases/rebuild.js';
import { replicas } from './cases/replicas.js';
import { saturation } from './cases/saturation.js';
import { soak } from './cases/soak.js';
import { traces } from './cases/traces.js';
import { v3Balance } from './cases/v3-balance.js';
import { verify } from './cases/verify.js';
import { webhooks } from './cases/webhooks.js';
import { type BenchCase, type Findings, type Measurement } from './measurement.js';
import { type Options } from './options.js';
import { type Fixture } from './servers/fixture.js';
import { describeCost } from './servers/usage.js';

/** Every case, in the order in which a run takes them. */
export const cases: readonly BenchCase[] = [
  append,
  read,
  create,
  lifecycle,
  openLoop,
  saturation,
  leaderChange,
  payouts,
  webhooks,
  notices,
  peer,
  replicas,
  traces,
  list,
  pages,
  v3Balance,
  verify,
  rebuild,
  checkout,
  history,
  soak,
];

/** The findings of a run's cases, and the names of those that failed. */
export interface Run {
  readonly measurements: readonly Measurement[];
  readonly failed: readonly string[];
}

/** Options of a run. */
export interface RunOptions extends Pick<Options, 'seconds' | 'rows'> {
  readonly earlier?: readonly Measurement[];
  /** The number of times that a case may be tried; 1 if absent. */
  readonly tries?: number;
}

/**
 * Runs the wanted cases one after the other, each after the case that is its floor.
 * @param tell is called with each case's findings, as soon as they exist
 */
export async function runCases(
  wanted: readonly BenchCase[],
  { seconds, rows, earlier: before = [] }: RunOptions,
  fixture: Fixture,
  tell: (of: BenchCase, findings: Findings) => void,
): Promise<void> {
  const earlier = [...before];
  const floors = wanted.flatMap(({ floor }) => floor ?? []);
  const missing = floors.filter((floor) => !before.some(({ name }) => name === floor.name));
  for (const one of cases.filter((of) => wanted.includes(of) || missing.includes(of))) {
    process.stderr.write(`${one.name} …\n`);
    const asked = wanted.includes(one) ? seconds : undefined;
    const findings = await one.run({ fixture, rows, earlier, seconds: asked ?? one.seconds });
    earlier.push(...findings.measurements);
    tell(one, findings);
  }
}

/**
 * Runs each wanted case alone. If a case fails, the others still run, and no figure is lost.
 * @param keep is called after each case with all figures so far
 */
export async function runEach(
  wanted: readonly BenchCase[],
  options: RunOptions,
  fixture: Fixture,
  keep: (measurements: readonly Measurement[]) => Promise<void>,
): Promise<Run> {
  const measurements: Measurement[] = [];
  const failed: string[] = [];
  const tell = (_: BenchCase, findings: Findings): void => {
    measurements.push(...findings.measurements);
    for (const note of findings.notes) process.stderr.write(`${note}\n`);
    for (const cost of findings.costs ?? [])
      process.stderr.write(`processor time of ${cost.of}, ms each: ${describeCost(cost)}\n`);
  };
  const isDone = async (one: BenchCase): Promise<boolean> => {
    try {
      await runCases([one], { ...options, earlier: measurements }, fixture, tell);
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${one.name} failed: ${why}\n`);
      return false;
    }
  };
  for (const one of wanted) {
    let isMeasured = false;
    for (let tries = options.tries ?? 1; tries > 0 && !isMeasured; tries -= 1)
      isMeasured = await isDone(one);
    if (!isMeasured) failed.push(one.name);
    await keep(measurements);
  }
  return { measurements, failed };
}
