import { errorKinds, isErrorCode } from '../errors/error-codes.js';
import { type AnsweredFailure, type Failure } from '../errors/failure.js';
import { parseJson } from '../json.js';
import { type HttpAnswer, type Outcome } from './exchange.js';

export interface Answer {
  readonly body: Readonly<Record<string, unknown>>;
  readonly ledgerPosition: string | undefined;
  readonly replayed: boolean;
  /** True if the answer is about a collection that existed before the call. */
  readonly existing: boolean;
  /** The request's fields that differ from that collection's. */
  readonly differs: readonly string[];
}

/**
 * Reads an answer of the service: a JSON object with 2xx, or an error. Unknown members are kept (SDK-12).
 * @param nowMs the time from which a Retry-After date counts
 */
export function readAnswer(answer: HttpAnswer, nowMs: number): Outcome<Answer> {
  const body = jsonObject(answer.text);
  const fine = answer.status >= 200 && answer.status < 300;
  if (!fine || !body) return { ok: false, failure: failureOf(answer, body, nowMs) };
  return {
    ok: true,
    value: {
      body,
      ledgerPosition: answer.header('X-PP-Ledger-Position'),
      replayed: answer.header('Idempotent-Replayed') === 'true',
      existing: answer.header('X-PP-Existing') === 'true',
      differs: answer.header('X-PP-Differs')?.split(/, */) ?? [],
    },
  };
}

function failureOf(
  { status, header }: HttpAnswer,
  body: Answer['body'] | undefined,
  nowMs: number,
): Failure {
  const told = {
    status,
    requestId: header('X-Request-Id'),
    retryAfterSeconds: readRetryAfter(header('Retry-After'), nowMs),
  };
  const code = body?.['error'];
  if (typeof code !== 'string' || status < 400)
    return { ...told, code: 'unexpected_answer', kind: 'unknown' };
  const detail = typeof body?.['detail'] === 'string' ? body['detail'] : undefined;
  if (!isErrorCode(code))
    return { ...told, code: 'unknown_code', kind: 'unknown', wireCode: code, detail };
  // Code and kind come from one row of the table.
  return { ...told, code, kind: errorKinds[code], detail } as AnsweredFailure;
}

/** RFC 9110 §10.2.3: seconds, or a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const untilMs = Date.parse(text) - nowMs;
  return Number.isNaN(untilMs) ? undefined : Math.max(0, Math.ceil(untilMs / 1000));
}

function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
