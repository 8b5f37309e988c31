import type { FastifyReply } from 'fastify';
import { newRequestId } from './payment.js';

/** A refusal by Daraja. The HTTP status is the first three digits of the code. */
export interface Fault {
  readonly errorCode: string;
  readonly errorMessage: string;
}

export const faults = {
  invalidToken: { errorCode: '404.001.03', errorMessage: 'Invalid Access Token' },
  invalidAuthentication: {
    errorCode: '400.008.01',
    errorMessage: 'Invalid Authentication passed',
  },
  invalidGrant: { errorCode: '400.008.02', errorMessage: 'Invalid grant type passed' },
  invalidPayload: { errorCode: '400.002.05', errorMessage: 'Invalid Request Payload' },
  notFound: { errorCode: '404.001.01', errorMessage: 'Resource not found' },
  unknownMerchant: { errorCode: '500.001.1001', errorMessage: 'Merchant does not exist' },
  wrongCredentials: { errorCode: '500.001.1001', errorMessage: 'Wrong credentials' },
  subscriberLocked: {
    errorCode: '500.001.1001',
    errorMessage:
      'Unable to lock subscriber, a transaction is already in process for the current subscriber',
  },
  beingProcessed: {
    errorCode: '500.001.1001',
    errorMessage: 'The transaction is being processed',
  },
  spikeArrest: {
    errorCode: '500.003.02',
    errorMessage: 'Error Occurred: Spike Arrest Violation',
  },
  duplicateConversation: {
    errorCode: '500.002.1001',
    errorMessage: 'Duplicate OriginatorConversationID.',
  },
  registeredUrls: { errorCode: '500.003.1001', errorMessage: 'Urls are already registered' },
  internal: { errorCode: '500.003.1001', errorMessage: 'Internal Server Error' },
} as const satisfies Record<string, Fault>;

export function invalidField(name: string): Fault {
  return { errorCode: '400.002.02', errorMessage: `Bad Request - Invalid ${name}` };
}

export function refuseWith(reply: FastifyReply, fault: Fault): FastifyReply {
  return reply
    .code(Number(fault.errorCode.slice(0, 3)))
    .send({ requestId: newRequestId(), ...fault });
}
