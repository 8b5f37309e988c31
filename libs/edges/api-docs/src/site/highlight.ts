import { type Html, html } from '#shared/html';

/** Comments and texts between quotes. A quote that nothing closes on its line is no text. */
const marked = /(?<comment>(?<=^|\s)(?:#|\/\/)[ !].*$)|(?<text>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/gm;

/** Returns the code with its comments and texts marked. More colours would cost more elements than they help. */
export function highlighted(code: string): Html {
  const pieces: Html[] = [];
  let at = 0;
  for (const { 0: found, index, groups } of code.matchAll(marked)) {
    const kind = groups?.['comment'] === undefined ? 't' : 'c';
    pieces.push(html`${code.slice(at, index)}<span class="${kind}">${found}</span>`);
    at = index + found.length;
  }
  return html`${pieces}${code.slice(at)}`;
}
