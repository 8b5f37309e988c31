import { type Mode } from '#domain/kernel';
import { type Metrics } from '#infra/runtime';

/** Different codes that are shown by themselves; the others together, so that the series stay few. */
const maxCodes = 32;
const codePattern = /^[A-Za-z0-9_.-]{1,16}$/;
/** Per registry, since a process has one and several parts of it count. */
const shown = new WeakMap<Metrics, Set<string>>();

/** Counts result codes that are in no list of ours: they settle nothing, and somebody is to look them up. */
export class UnknownResults {
  readonly #counter;

  constructor(private readonly metrics: Metrics) {
    this.#counter = metrics.counter({
      name: 'rail_unknown_results_total',
      help: 'Result codes that the service does not know, from queries and from the rail’s own callbacks',
      labels: ['mode', 'source', 'code'],
    });
  }

  /** @param code as the rail wrote it; absent where there is nothing to count */
  count(mode: Mode, source: 'query' | 'callback', code: string | undefined): void {
    if (code !== undefined) this.#counter.inc({ mode, source, code: this.#label(code) });
  }

  #label(code: string): string {
    const codes = shown.get(this.metrics) ?? new Set<string>();
    shown.set(this.metrics, codes);
    if (!codePattern.test(code) || (!codes.has(code) && codes.size >= maxCodes)) return 'other';
    codes.add(code);
    return code;
  }
}
