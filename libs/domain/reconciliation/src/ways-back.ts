import { type Finding } from './finding.js';

/**
 * Decides on money that left suspense, once all lines are judged, because its reversal may be anywhere in the file, or
 * in a later day's file (REC-23).
 */
export class WaysBack {
  readonly #unseen: Finding[] = [];
  readonly #seen = new Set<string>();

  constructor(private readonly onFinding: (finding: Finding) => void) {}

  take(finding: Finding): void {
    const { name, line, about } = finding;
    if (line?.kind === 'reversal' && about && (name === 'refunded' || name === 'outside_day'))
      this.#seen.add(about.id);
    if (name === 'not_sent_back') this.#unseen.push(finding);
    else this.onFinding(finding);
  }

  /** The items whose reversal is not in the file. */
  get unseen(): readonly string[] {
    return this.#unseen.flatMap(({ item }) => (item && !this.#seen.has(item.id) ? item.id : []));
  }

  /** @param later items whose reversal is on a later day's statement */
  end(later: ReadonlySet<string>): void {
    for (const finding of this.#unseen) {
      const { id = '' } = finding.item ?? {};
      const isSeen = this.#seen.has(id) || later.has(id);
      this.onFinding(isSeen ? { ...finding, name: 'refunded' } : finding);
    }
  }
}
