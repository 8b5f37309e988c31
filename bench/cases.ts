import { append } from './cases/append.js';
import { checkout } from './cases/checkout.js';
import { create } from './cases/create.js';
import { lifecycle } from './cases/lifecycle.js';
import { list } from './cases/list.js';
import { openLoop } from './cases/open-loop.js';
import { read } from './cases/read.js';
import { rebuild } from './cases/rebuild.js';
import { saturation } from './cases/saturation.js';
import { v3Balance } from './cases/v3-balance.js';
import { verify } from './cases/verify.js';
import { type BenchCase, type Findings, type Measurement } from './measurement.js';
import { type Options } from './options.js';
import { type Fixture } from './servers/fixture.js';

/** Every case, in the order in which a run takes them. */
export const cases: readonly BenchCase[] = [
  append,
  read,
  create,
  lifecycle,
  openLoop,
  saturation,
  list,
  v3Balance,
  verify,
  rebuild,
  checkout,
];

/**
 * Runs the cases that are wanted one after the other, each after the one that is its floor.
 * @param tell is called with what each case found, as soon as it has
 */
export async function runCases(
  wanted: readonly BenchCase[],
  { seconds, rows }: Pick<Options, 'seconds' | 'rows'>,
  fixture: Fixture,
  tell: (of: BenchCase, findings: Findings) => void,
): Promise<void> {
  const earlier: Measurement[] = [];
  const toRun = cases.filter(
    (one) => wanted.includes(one) || wanted.some(({ floor }) => floor === one),
  );
  for (const one of toRun) {
    process.stderr.write(`${one.name} …\n`);
    const isFloorOnly = !wanted.includes(one);
    const findings = await one.run({
      fixture,
      rows,
      earlier,
      seconds: (isFloorOnly ? undefined : seconds) ?? one.seconds,
    });
    earlier.push(...findings.measurements);
    tell(one, findings);
  }
}
