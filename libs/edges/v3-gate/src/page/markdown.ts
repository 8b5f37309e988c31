/**
 * The markdown that our guides are written in, as HTML: headings, paragraphs, tables, lists, fenced code, and in a
 * line code, bold and links. The text is ours; it is escaped all the same. Links to files of the repository lead
 * nowhere on a server, so their words alone stand.
 */
export function htmlOf(markdown: string): string {
  const lines = markdown.split('\n');
  const blocks: string[] = [];
  for (let at = 0; at < lines.length;) {
    const { html, next } = blockAt(lines, at);
    if (html !== '') blocks.push(html);
    at = next;
  }
  return blocks.join('\n');
}

interface Block {
  readonly html: string;
  /** The line after it. */
  readonly next: number;
}

function blockAt(lines: readonly string[], at: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { html: '', next: at + 1 };
  if (line.startsWith('```')) return codeAt(lines, at);
  const heading = /^(#{1,3}) (.+)$/.exec(line);
  if (heading) return { html: headingOf(heading[1]?.length ?? 1, heading[2] ?? ''), next: at + 1 };
  if (line.startsWith('|')) return tableAt(lines, at);
  if (item.test(line)) return listAt(lines, at);
  const end = endOf(lines, at, (text) => text.trim() !== '' && !text.startsWith('```'));
  return { html: `<p>${inline(lines.slice(at, end).join(' '))}</p>`, next: end };
}

const item = /^(?:- |\d+\. )/;

/** The first line at or after `at` of which it no longer holds. */
function endOf(lines: readonly string[], at: number, holds: (line: string) => boolean): number {
  let end = at;
  while (end < lines.length && holds(lines[end] ?? '')) end += 1;
  return end;
}

function codeAt(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at + 1, (line) => !line.startsWith('```'));
  const code = lines.slice(at + 1, end).join('\n');
  return { html: `<pre tabindex="0"><code>${escaped(code)}</code></pre>`, next: end + 1 };
}

function headingOf(level: number, text: string): string {
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `<h${level} id="${id}">${inline(text)}</h${level}>`;
}

function tableAt(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at, (line) => line.startsWith('|'));
  const cells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => inline(cell.trim()));
  const row = (line: string, tag: string): string =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`;
  const [head = '', , ...body] = lines.slice(at, end);
  const rows = body.map((line) => row(line, 'td')).join('\n');
  const html = `<div class="wide" tabindex="0"><table><thead>${row(head, 'th scope="col"').replaceAll('</th scope="col">', '</th>')}</thead><tbody>${rows}</tbody></table></div>`;
  return { html, next: end };
}

function listAt(lines: readonly string[], at: number): Block {
  const tag = (lines[at] ?? '').startsWith('- ') ? 'ul' : 'ol';
  const end = endOf(lines, at, (line) => item.test(line) || line.startsWith('  '));
  const items: string[] = [];
  for (const line of lines.slice(at, end)) {
    if (item.test(line)) items.push(line.replace(item, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  const html = items.map((text) => `<li>${inline(text)}</li>`).join('\n');
  return { html: `<${tag}>\n${html}\n</${tag}>`, next: end };
}

function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part)
            .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_whole, words: string, target: string) =>
              /^(?:https?:\/\/|\/docs|#)/.test(target) ? `<a href="${target}">${words}</a>` : words,
            ),
    )
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
