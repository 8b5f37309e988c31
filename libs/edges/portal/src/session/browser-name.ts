import Bowser from 'bowser';

/** A browser as its person knows it: `Chrome`, and the system that it runs on: `Android`. */
export interface BrowserName {
  readonly name: string;
  /** Undefined if the header names no known system. */
  readonly system: string | undefined;
}

/** Characters of the header that are read. Real ones have about 150; a longer one would only cost time. */
const mostRead = 512;

const names = new Set(Object.values(Bowser.BROWSER_MAP));
const systems = new Set(Object.values(Bowser.OS_MAP));

/**
 * Names the browser that sent a User-Agent header. The result has only names of the library's own lists, because anyone
 * can send any header.
 * @returns undefined if the browser is not known
 */
export function browserName(userAgent: string | undefined): BrowserName | undefined {
  const read = userAgent?.slice(0, mostRead) ?? '';
  // The library refuses an empty text.
  if (read === '') return undefined;
  const { browser, os } = Bowser.parse(read);
  if (browser.name === undefined || !names.has(browser.name)) return undefined;
  const system = os.name !== undefined && systems.has(os.name) ? os.name : undefined;
  return { name: browser.name.replace(' for Android', ''), system };
}
