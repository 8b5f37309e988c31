import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, status, type StatusObject } from '@grpc/grpc-js';
import { failure } from './errors.js';

export type CredentialsCheck = (metadata: Metadata) => StatusObject | undefined;

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Who may call Streams: everybody where no user is set, else the bearer of this `name:password` alone.
 * No credentials are an access denied, wrong ones an UNAUTHENTICATED, as EventStoreDB answers.
 */
export function credentialsCheck(user: string | undefined): CredentialsCheck {
  if (user === undefined) return () => undefined;
  const wanted = digest(`Basic ${Buffer.from(user).toString('base64')}`);
  return (metadata) => {
    const [given] = metadata.get('authorization');
    if (given === undefined) {
      return failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });
    }
    if (timingSafeEqual(digest(given.toString()), wanted)) return undefined;
    return failure(status.UNAUTHENTICATED, 'Bad credentials');
  };
}
