import { rawBody, rawTarget } from '#shared/http';
import { type FastifyRequest } from 'fastify';

const formType = 'application/x-www-form-urlencoded';

/** The fields of a form as sent. There are none if the body is no form, or if its route reads it itself. */
export function postedForm(request: FastifyRequest): URLSearchParams {
  const body = rawBody(request);
  return body?.mediaType === formType ? body.form() : new URLSearchParams();
}

/**
 * True if the address or a field has a null character. Postgres rejects it, so the portal never searches for such a
 * text.
 */
export function holdsNull(request: FastifyRequest): boolean {
  const { path, query } = rawTarget(request);
  const isTyped = [...postedForm(request).values()].some((value) => value.includes('\0'));
  return isTyped || path.includes('%00') || query.includes('%00');
}

const positiveWholePattern = /^[1-9][0-9]{0,17}$/;

/** A whole number above zero that a bigint column holds, in plain digits; undefined for any other text. */
export function positiveWhole(text: string | null | undefined): bigint | undefined {
  return positiveWholePattern.test(text ?? '') ? BigInt(text ?? '') : undefined;
}
