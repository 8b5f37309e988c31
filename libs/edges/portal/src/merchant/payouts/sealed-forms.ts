import { type CommandMetadata } from '#domain/event-sourcing';
import { personId } from '#domain/people';
import { rawBody, rawPath, RequestSeal, RetainedRequests } from '#shared/http';
import { sha256Hex } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../../access/viewer.js';

export interface Call {
  readonly request: FastifyRequest;
  readonly viewer: Viewer;
}

/** Seals forms as evidence of who sent what, and stores them durably before the first event of their command. */
@Injectable()
export class SealedForms {
  constructor(
    private readonly requests: RequestSeal,
    private readonly kept: RetainedRequests,
  ) {}

  /**
   * Carries out a command with its form as evidence. `recordedNothing` returns true if the outcome recorded nothing of
   * the form.
   * @throws DependencyUnavailable
   */
  carryOut<Outcome>(
    { request, viewer }: Call,
    about: {
      readonly stream: string;
      readonly phoneHmac?: string;
      readonly items?: readonly { readonly stream: string; readonly phoneHmac: string }[];
      /** The file, if the command read a file; otherwise the form's own bytes count. */
      readonly bytes?: Uint8Array;
    },
    work: {
      readonly run: (metadata: CommandMetadata) => Promise<Outcome>;
      readonly recordedNothing: (outcome: Outcome) => boolean;
    },
  ): Promise<Outcome> {
    const person = personId(viewer.person);
    const bytes = about.bytes ?? rawBody(request)?.bytes ?? Buffer.alloc(0);
    const evidence = {
      method: request.method,
      path: rawPath(request),
      bodyDigest: sha256Hex(bytes),
      person,
    };
    const actor = { kind: 'operator', id: person } as const;
    const asked = { requestId: request.id, evidence };
    const sealed = this.requests.sealOf(actor, asked, { ...about, bytes });
    return this.kept.carryOut(sealed, () => work.run(sealed.metadata), work.recordedNothing);
  }
}
