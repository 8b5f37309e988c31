/** The page's script. It shows the string to sign as the reader types. */
import { type SigningInput, signingSteps } from './signing-steps.js';

/** The small part of the DOM that is used. The DOM's own types would hide Node's in the rest of the service. */
interface Field {
  value: string;
  textContent: string | null;
  addEventListener(event: 'input' | 'click', listener: () => void): void;
}
declare const document: { getElementById(id: string): Field | null };

const inputs = ['method', 'path', 'query', 'body', 'nonce', 'timestamp'] as const;

const shown = [
  'shown-query',
  'shown-digest',
  'shown-string',
  'shown-bytes',
  'shown-string-digest',
  'shown-commands',
] as const;

function field(id: string): Field {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

function typed(): SigningInput {
  const [method, path, query, body, nonce, timestamp] = inputs.map(
    (name) => field(`sign-${name}`).value,
  ) as [string, string, string, string, string, string];
  return { method, path, query, body, nonce, timestamp };
}

/** Only the latest result is shown, because digests may arrive in another order than they were asked for. */
let latest = 0;

async function show(): Promise<void> {
  const turn = (latest += 1);
  try {
    const steps = await signingSteps(typed());
    if (turn !== latest) return;
    field('sign-problem').textContent = '';
    field('shown-query').textContent = steps.canonicalQuery;
    field('shown-digest').textContent = steps.bodyDigest;
    field('shown-string').textContent = steps.stringToSign;
    field('shown-bytes').textContent = String(steps.bytes);
    field('shown-string-digest').textContent = steps.stringDigest;
    field('shown-commands').textContent = steps.commands;
  } catch (error) {
    if (turn !== latest) return;
    for (const name of shown) field(name).textContent = '';
    field('sign-problem').textContent =
      error instanceof URIError ? 'The query’s percent-encoding is broken.' : String(error);
  }
}

function renew(): void {
  const random = crypto.getRandomValues(new Uint8Array(16));
  field('sign-nonce').value = [...random]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  field('sign-timestamp').value = String(Math.floor(Date.now() / 1000));
  void show();
}

for (const name of inputs)
  field(`sign-${name}`).addEventListener('input', () => {
    void show();
  });
field('sign-renew').addEventListener('click', renew);
void show();
