import { type Page } from 'playwright-core';

/** A problem for a person with weak eyes or a big thumb. */
export interface Trouble {
  readonly what: 'contrast' | 'target';
  readonly text: string;
  readonly measured: number;
}

/** Runs in the page: finds texts with a contrast below 4.5, and controls lower than 44 points. */
function measure(): Trouble[] {
  interface Box {
    readonly height: number;
    readonly width: number;
  }
  interface Node {
    readonly textContent: string | null;
    readonly parentElement: Node | null;
    readonly childNodes: Iterable<{
      readonly nodeType: number;
      readonly textContent: string | null;
    }>;
    getBoundingClientRect(): Box;
  }
  interface Style {
    readonly color: string;
    readonly backgroundColor: string;
  }
  const page = globalThis as unknown as {
    readonly document: { querySelectorAll(selector: string): Iterable<Node> };
    getComputedStyle(element: Node): Style;
  };
  const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number =>
    channels(color)
      .slice(0, 3)
      .map((channel) => channel / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, index) => sum + c * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const behind = (element: Node | null): string => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = page.getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 1) > 0) return backgroundColor;
    }
    return 'rgb(255,255,255)';
  };
  const shown = [...page.document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().height > 0,
  );
  const texts = shown.filter((element) =>
    [...element.childNodes].some(
      ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim(),
    ),
  );
  const trouble: Trouble[] = [];
  for (const element of texts) {
    const [light = 0, dark = 0] = [page.getComputedStyle(element).color, behind(element)]
      .map(luminance)
      .sort((a, b) => b - a);
    const measured = (light + 0.05) / (dark + 0.05);
    if (measured < 4.5)
      trouble.push({ what: 'contrast', text: element.textContent?.trim() ?? '', measured });
  }
  for (const element of page.document.querySelectorAll(
    'a:not(.problem a), button, input:not([type=hidden])',
  )) {
    const { height } = element.getBoundingClientRect();
    if (height < 44)
      trouble.push({ what: 'target', text: element.textContent?.trim() ?? '', measured: height });
  }
  return trouble;
}

export function troubleOf(page: Page): Promise<Trouble[]> {
  return page.evaluate(measure);
}
