import { html, type Html } from '#shared/html';
import { type Named } from '#desk/operators';
import { definitions, emptyState, errorSummary, field, form, notice, time } from '../page/parts.js';
import { type PageContext } from './page-context.js';
import { namedFields } from './named-fields.js';
import { type OpenedMessage } from './ports.js';

/** The form as it was sent, and its errors. */
export interface EvidenceForm {
  readonly named: Named;
  readonly reason: string;
  readonly errors: readonly { readonly field: string; readonly text: string }[];
}

/** The form that asks what to open, and why. */
export function evidenceForm({ named, reason, errors }: EvidenceForm, context: PageContext): Html {
  const { texts, viewer, words } = context;
  const { evidence } = words;
  return html`${errorSummary(texts.problem, errors)}
    <p>${evidence.intro}</p>
    ${notice('warning', evidence.warning)}
    <div class="split">
      <section class="card" aria-labelledby="open">
        <h2 id="open">${evidence.open}</h2>
        ${form(viewer, {
          action: '/portal/audit/evidence',
          submit: evidence.open,
          fields: [
            ...namedFields(named, context),
            field({
              name: 'reason',
              label: texts.reason,
              hint: evidence.why,
              value: reason,
              type: 'textarea',
              isRequired: true,
              maxLength: 500,
              error: errors.find((error) => error.field === 'reason')?.text,
            }),
          ],
        })}
      </section>
      ${emptyState(evidence.empty, evidence.emptyTodo)}
    </div>`;
}

/** The opened messages, byte for byte. Bytes that cannot be shown as text are written as escapes. */
export function evidencePage(messages: readonly OpenedMessage[], context: PageContext): Html {
  const { evidence } = context.words;
  return html`${notice('warning', evidence.count(messages.length))}
    ${messages.map((message, index) => oneMessage(message, index, context))}
    <p><a href="/portal/audit/evidence">${evidence.again}</a></p>`;
}

function oneMessage(
  { message, contents, named }: OpenedMessage,
  index: number,
  { words, zone }: PageContext,
): Html {
  const { evidence } = words;
  const direction = message.kind === 'request' ? evidence.kinds.request : evidence.kinds.rail;
  return html`<h2>${index + 1}. ${direction} (${message.kind.replaceAll('_', ' ')})</h2>
    ${definitions([
      [evidence.received, time(message.receivedAt, zone)],
      [
        evidence.namedBy,
        named.length === 0
          ? evidence.noEvent
          : html`${named.map((naming) => html`<div>${namingText(naming, words)}</div>`)}`,
      ],
    ])}
    ${contents.state === 'opened' ? html`<pre tabindex="0">${printable(contents.bytes)}</pre>` : notice('info', evidence.states[contents.state])}`;
}

function namingText(
  { event, commitmentIs, digest, signature }: OpenedMessage['named'][number],
  { evidence }: PageContext['words'],
): string {
  const said = [evidence.commitments[commitmentIs], evidence.digests[digest]];
  if (signature !== undefined) said.push(evidence.signatures[signature]);
  return `${event}: ${said.join(', ')}`;
}

/** The bytes come from outside, so marks that would change the order of the shown text are written as escapes. */
function printable(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (mark) =>
      mark === '\n' ? mark : `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`,
    );
}
