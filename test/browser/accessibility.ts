import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from 'playwright-core';

interface Scope {
  readonly rules?: 'all' | 'contrast' | 'all but contrast';
  /** A part of the page that is not checked. */
  readonly without?: string;
}

/** A broken rule, and the first elements that break it. */
export interface Violation {
  readonly id: string;
  readonly nodes: readonly string[];
}

/**
 * Checks the page against axe's rules of accessibility. Contrast takes two thirds of the time, so it is checked once per
 * scheme where only the width differs.
 */
export async function violationsOf(
  page: Page,
  { rules = 'all', without }: Scope = {},
): Promise<Violation[]> {
  // The elements that pass would be listed as well, which takes as long as all checks.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (rules === 'contrast') axe.withRules('color-contrast');
  if (rules === 'all but contrast') axe.disableRules('color-contrast');
  if (without !== undefined) axe.exclude(without);
  const { violations } = await axe.analyze();
  return violations.map(({ id, nodes }) => ({
    id,
    nodes: nodes.map(({ html }) => html).slice(0, 3),
  }));
}
