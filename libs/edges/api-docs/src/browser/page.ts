/**
 * The script of every page of the site: copy buttons, the filter of the sidebar, and the reader's choices kept for the
 * next page. The pages work without it.
 */

/** The small part of the DOM that is used. The DOM's own types would hide Node's in the rest of the service. */
interface Element {
  id: string;
  hidden: boolean;
  textContent: string | null;
  type: string;
  className: string;
  value: string;
  checked: boolean;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  append(child: Element): void;
  hidePopover?(): void;
  addEventListener(event: 'click' | 'input' | 'change', listener: () => void): void;
}
declare const document: {
  createElement(name: string): Element;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
};
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};
declare const navigator: {
  readonly clipboard?: { writeText(text: string): Promise<void> };
};

const copiedShownMs = 2_000;

function addCopyButtons(): void {
  const { clipboard } = navigator;
  // Browsers offer it on https and on this machine only.
  if (!clipboard) return;
  for (const figure of document.querySelectorAll('.sample')) {
    const code = figure.querySelector('code');
    const caption = figure.querySelector('figcaption');
    if (!code || !caption) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => {
      clipboard.writeText(code.textContent ?? '').then(
        () => {
          say(button, 'Copied');
        },
        () => {
          say(button, 'Not allowed');
        },
      );
    });
    caption.append(button);
  }
}

function say(button: Element, word: string): void {
  button.textContent = word;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, copiedShownMs);
}

function startFilter(): void {
  const sidebar = document.querySelector('#sidebar');
  const box = sidebar?.querySelector('.filter');
  const input = box?.querySelector('input');
  const status = box?.querySelector('[role=status]');
  if (!sidebar || !box || !input || !status) return;
  box.hidden = false;
  input.addEventListener('input', () => {
    const found = filter(sidebar, input.value);
    status.textContent = input.value.trim() === '' ? '' : `${found} found`;
  });
  // A link to another part of this page would leave the drawer open over it.
  for (const link of sidebar.querySelectorAll('a'))
    link.addEventListener('click', () => {
      sidebar.hidePopover?.();
    });
}

/** Shows the entries that have every word, with the page above a call. @returns the number of entries that match */
function filter(sidebar: Element, typed: string): number {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (entry: Element): boolean => {
    const link = entry.querySelector('a');
    const text = `${link?.textContent ?? ''} ${entry.dataset['words'] ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  let found = 0;
  for (const group of sidebar.querySelectorAll('section')) {
    let shown = 0;
    for (const entry of group.querySelectorAll('section > ul > li')) {
      const isFound = has(entry);
      let calls = 0;
      for (const call of entry.querySelectorAll('li')) {
        call.hidden = !isFound && !has(call);
        if (!call.hidden && has(call)) calls += 1;
      }
      entry.hidden = !isFound && calls === 0;
      if (!entry.hidden) shown += 1;
      found += calls + (isFound ? 1 : 0);
    }
    group.hidden = shown === 0;
  }
  return found;
}

/** Keeps the language and the ticks of the checklist. A browser that stores nothing forgets them. */
function keepChoices(): void {
  const language = document.querySelector('#language');
  const kept = stored('docs-language');
  if (language) {
    // A language that is no longer there leaves the first one.
    if (kept !== null && language.querySelector(`[value="${kept}"]`)) language.value = kept;
    language.addEventListener('change', () => {
      store('docs-language', language.value);
    });
  }
  for (const input of document.querySelectorAll('.checklist input')) {
    const name = `docs-done-${input.id}`;
    if (stored(name) === 'yes') input.checked = true;
    input.addEventListener('change', () => {
      store(name, input.checked ? 'yes' : '');
    });
  }
}

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice lasts as long as the page.
  }
}

addCopyButtons();
startFilter();
keepChoices();
