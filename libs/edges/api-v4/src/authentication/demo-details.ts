import { type Instant, type Mode } from '#domain/kernel';
import { type ProblemExtras } from '#shared/http';
import { sha256Hex } from '#shared/signing';

/** What a refusal may say where no money is at stake. */
interface Told {
  readonly mode: Mode;
  readonly now: Instant;
}

const names = ['method', 'path', 'query', 'body SHA-256', 'nonce', 'timestamp'];
/** Of a line that is shown; the digest above it tells of the rest. */
const maxShown = 200;

/**
 * In demo mode, what helps a developer whose clock is off. Live answers tell nothing: whoever tries signatures there
 * has no business knowing how near they came.
 */
export function timestampDetail({ mode, now }: Told): ProblemExtras {
  if (mode !== 'demo') return {};
  return {
    detail: `X-PP-Timestamp must be Unix seconds within 300 s of the server’s time, ${now}.`,
  };
}

/**
 * In demo mode, what was verified: the digest of the whole string to sign, and its six lines by name, so that a
 * client finds the first that is not its own.
 * @param text the string to sign; undefined where the request's query cannot be read
 */
export function signatureDetail({ mode, now }: Told, text: string | undefined): ProblemExtras {
  if (mode !== 'demo') return {};
  const time = `The server’s time is ${now}.`;
  if (text === undefined)
    return { detail: `The query is not percent-encoded UTF-8, so nothing can be signed. ${time}` };
  const lines = text.split('\n').map((line, index) => `${names[index] ?? ''} ${shown(line)}`);
  return {
    detail: `The signature must be standard base64 of RSA-SHA256, by this credential’s key, over the string whose SHA-256 is ${sha256Hex(Buffer.from(text))}: ${lines.join(', ')}. ${time}`,
  };
}

function shown(line: string): string {
  return JSON.stringify(line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`);
}
