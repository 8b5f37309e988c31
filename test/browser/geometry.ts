import { type Page } from 'playwright-core';

/** Something that does not fit the screen, or that a page may not show. */
export interface Misfit {
  readonly what:
    | 'page is too wide'
    | 'amount is cut off'
    | 'card is cut off'
    | 'several navigations'
    | 'several primary buttons'
    | 'open id'
    | 'seconds in a list'
    | 'heavy link in a row'
    | 'badge without icon or words'
    | 'no focus ring';
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

/** Runs in the page: the brief's rules for lists, badges, cards and buttons. */
function measureParts(): Misfit[] {
  interface Node {
    readonly textContent: string | null;
    readonly scrollWidth: number;
    readonly clientWidth: number;
    matches(selector: string): boolean;
    closest(selector: string): Node | null;
    querySelector(selector: string): Node | null;
    append(child: Node): void;
    remove(): void;
    checkVisibility(): boolean;
  }
  interface Style {
    readonly backgroundColor: string;
    readonly fontWeight: string;
    readonly textDecorationLine: string;
  }
  const page = globalThis as unknown as {
    readonly document: {
      querySelectorAll(selector: string): Iterable<Node>;
      querySelector(selector: string): Node | null;
      createElement(name: string): Node;
    };
    getComputedStyle(element: Node): Style;
  };
  const all = (selector: string): Node[] =>
    [...page.document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  const textOf = (node: Node): string => node.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
  const misfits: Misfit[] = [];
  const report = (what: Misfit['what'], node: Node): number =>
    misfits.push({ what, text: textOf(node).slice(0, 80) });

  const main = page.document.querySelector('main');
  if (!main) return misfits;
  const plain = page.document.createElement('button');
  main.append(plain);
  const primary = page.getComputedStyle(plain).backgroundColor;
  plain.remove();
  const primaries = all('main button, main .button').filter(
    (button) => page.getComputedStyle(button).backgroundColor === primary,
  );
  if (primaries.length > 1)
    misfits.push({ what: 'several primary buttons', text: primaries.map(textOf).join(', ') });
  for (const card of all('main .card'))
    if (card.scrollWidth > card.clientWidth + 1) report('card is cut off', card);
  for (const badge of all('main .badge'))
    if (!badge.querySelector('.icon') || textOf(badge) === '')
      report('badge without icon or words', badge);
  for (const cell of all('main td, main tbody th'))
    if (/\d\d:\d\d:\d\d/.test(textOf(cell))) report('seconds in a list', cell);
  for (const link of all('main td a, main tbody th a')) {
    const { fontWeight, textDecorationLine } = page.getComputedStyle(link);
    const isQuiet = Number(fontWeight) <= 500 && !textDecorationLine.includes('underline');
    if (!isQuiet && !link.matches('.button')) report('heavy link in a row', link);
  }
  return misfits;
}

/** Runs in the page: the focused element, and if a reader sees that it is focused. */
function measureFocus(): { readonly text: string; readonly isSeen: boolean } {
  interface Node {
    readonly tagName: string;
    readonly textContent: string | null;
    closest(selector: string): Node | null;
  }
  const page = globalThis as unknown as {
    readonly document: { readonly activeElement: Node };
    getComputedStyle(element: Node): {
      readonly outlineStyle: string;
      readonly outlineWidth: string;
    };
  };
  const node = page.document.activeElement;
  const { outlineStyle, outlineWidth } = page.getComputedStyle(node);
  const isPage = node.tagName === 'BODY' || node.tagName === 'HTML';
  return {
    text: `${node.tagName} ${(node.textContent ?? '').trim().slice(0, 40)}`,
    isSeen: isPage || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2),
  };
}

/** The parts of a page that do not fit its present width, or that the page may not show. */
export async function misfitsOf(page: Page): Promise<Misfit[]> {
  return [...(await page.evaluate(measure)), ...(await page.evaluate(measureParts))];
}

/** The elements that get the focus by these many presses of Tab, and show no ring. */
export async function unseenFocus(page: Page, presses: number): Promise<Misfit[]> {
  const misfits: Misfit[] = [];
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press('Tab');
    const { text, isSeen } = await page.evaluate(measureFocus);
    if (!isSeen) misfits.push({ what: 'no focus ring', text });
  }
  return misfits;
}
