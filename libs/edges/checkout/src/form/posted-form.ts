import { type RawBody } from '#shared/http';
import { maxQuery } from '../link/parameters.js';

/** The values that a customer sent, as typed. */
export interface PostedForm {
  readonly phone: string;
  readonly token: string;
  /** NaN if it is no number. */
  readonly attempt: number;
}

const formType = 'application/x-www-form-urlencoded';
const attemptPattern = /^[1-9]$/;
/** A number with all its separators has twenty characters. A longer text is not shown again. */
const maxPhone = 40;

export function postedForm(body: RawBody | undefined): PostedForm {
  const fields = body?.mediaType === formType ? body.form() : new URLSearchParams();
  const attempt = fields.get('attempt') ?? '';
  return {
    phone: (fields.get('phone') ?? '').slice(0, maxPhone),
    token: fields.get('token') ?? '',
    attempt: attemptPattern.test(attempt) ? Number(attempt) : NaN,
  };
}

/** Returns the text of a form as sent; empty if the body is no form. */
export function formText(body: RawBody | undefined): string {
  return body?.mediaType === formType ? body.bytes.toString('latin1') : '';
}

const linkHash = /(?:^|&)(?:hsh|hash)=/;
const sendable = /^[\x21-\x7e]+$/;

/**
 * Returns the query of a link that a shop's own form posted instead of redirecting. The page of the link is a GET, as
 * for every other link.
 */
export function postedLink(body: RawBody | undefined): string | undefined {
  // A text longer than a link is refused here, because no server would accept it as an address.
  const text = formText(body);
  if (text.length > maxQuery) return undefined;
  return sendable.test(text) && linkHash.test(text) ? text : undefined;
}
