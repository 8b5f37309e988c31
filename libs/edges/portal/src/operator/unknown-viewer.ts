import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';
import { languageOf } from '../text/language.js';

/** In the place of somebody whose sign-in cannot be checked: a language, and no rights. */
export function unknownViewer(request: FastifyRequest): Viewer {
  return {
    person: { issuer: '', subject: '' },
    name: '',
    roles: [],
    language: languageOf(request),
    formToken: '',
    sessionHash: Buffer.alloc(0),
    merchant: undefined,
  };
}
