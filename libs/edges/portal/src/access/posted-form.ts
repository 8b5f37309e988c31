import { rawBody } from '#shared/http';
import { type FastifyRequest } from 'fastify';

const formType = 'application/x-www-form-urlencoded';

/** The fields of a form as sent; none where the body is no form, or its route reads it itself. */
export function postedForm(request: FastifyRequest): URLSearchParams {
  const body = rawBody(request);
  return body?.mediaType === formType ? body.form() : new URLSearchParams();
}
