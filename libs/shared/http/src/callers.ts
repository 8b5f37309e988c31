import { type CommandMetadata } from '#domain/event-sourcing';
import { type Keyring, sealEvidence } from '#shared/signing';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';

/** Who makes a request: a credential, and what it proves itself with (EVT-24). */
interface ProvedCaller {
  readonly credential: { readonly credentialId: string; readonly holder: string };
  readonly requestId: string;
  readonly evidence: object;
}

interface Callers<Caller> {
  /** For the guard. */
  readonly rememberCaller: (request: FastifyRequest, caller: Caller) => void;
  /** Hands a controller the caller of its request. */
  readonly ByCaller: () => ParameterDecorator;
}

/** Keeps who makes each request, for one version of the API. */
export function callersOf<Caller extends ProvedCaller>(): Callers<Caller> {
  const callers = new WeakMap<FastifyRequest, Caller>();
  return {
    rememberCaller: (request, caller) => {
      callers.set(request, caller);
    },
    ByCaller: createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
      const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
      if (!caller) throw new TypeError('a route asks for its caller but is not authenticated');
      return caller;
    }),
  };
}

/** Who, when and on what evidence, for the command that a request leads to. */
export function metadataOf(caller: ProvedCaller, keyring: Keyring): CommandMetadata {
  const { credentialId, holder } = caller.credential;
  return {
    correlationId: caller.requestId,
    actor: { kind: 'credential', id: credentialId, holder },
    ...sealEvidence(keyring, caller.evidence),
  };
}
