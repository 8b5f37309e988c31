import { type Page } from 'playwright-core';

/** Something that does not fit the screen, or that a page may not show. */
export interface Misfit {
  readonly what: 'page is too wide' | 'amount is cut off' | 'several navigations' | 'open id';
  readonly text: string;
}

/** Runs in the page, at its present width. */
function measure(): Misfit[] {
  interface Box {
    readonly left: number;
    readonly right: number;
    readonly width: number;
  }
  interface Node {
    readonly textContent: string | null;
    readonly parentElement: Node | null;
    getBoundingClientRect(): Box;
    closest(selector: string): Node | null;
    checkVisibility(): boolean;
  }
  const page = globalThis as unknown as {
    readonly innerWidth: number;
    readonly document: {
      readonly documentElement: { readonly scrollWidth: number };
      querySelectorAll(selector: string): Iterable<Node>;
    };
    getComputedStyle(element: Node): { readonly overflowX: string };
  };
  const all = (selector: string): Node[] =>
    [...page.document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const misfits: Misfit[] = [];
  const over = page.document.documentElement.scrollWidth - page.innerWidth;
  if (over > 0) misfits.push({ what: 'page is too wide', text: `${over} px` });
  /** The visible part of a node's line: its ancestors that clip, and the window. */
  const frameOf = (node: Node): readonly [number, number] => {
    let [left, right] = [0, page.innerWidth];
    for (let at = node.parentElement; at; at = at.parentElement)
      if (page.getComputedStyle(at).overflowX !== 'visible') {
        const box = at.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      }
    return [left, right];
  };
  for (const amount of all('.money')) {
    const box = amount.getBoundingClientRect();
    const [left, right] = frameOf(amount);
    // Half a pixel is a rounding of the browser's.
    if (box.width > 0 && (box.left < left - 0.5 || box.right > right + 0.5))
      misfits.push({ what: 'amount is cut off', text: amount.textContent ?? '' });
  }
  const navigations = page.document.querySelectorAll('nav.nav');
  if ([...navigations].length > 1) misfits.push({ what: 'several navigations', text: '' });
  const id = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})\b/;
  for (const cell of all('main td, main tbody th'))
    if (
      !cell.closest('details') &&
      id.test(cell.textContent ?? '') &&
      all('main .id, main details').every((each) => each.closest('td, th') !== cell)
    )
      misfits.push({ what: 'open id', text: cell.textContent?.trim() ?? '' });
  return misfits;
}

/** The parts of a page that do not fit its present width. */
export function misfitsOf(page: Page): Promise<Misfit[]> {
  return page.evaluate(measure);
}
