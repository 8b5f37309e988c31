import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';
import { languageOf } from '../text/language.js';

/** A viewer with a language and no rights, for a person whose sign-in could not be checked. */
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
