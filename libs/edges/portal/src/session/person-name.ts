import { Logger } from '@nestjs/common';
import { refusedAnswer } from '#shared/openid';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { Configuration, IDToken } from 'openid-client';

interface Asked {
  readonly client: typeof import('openid-client');
  readonly configuration: Configuration;
}

const maxNameLength = 100;
const log = new Logger('portal');

/** The person's name: the token's, or the one that the provider gives beside it. Without a name it is the subject. */
export async function nameOf(asked: Asked, claims: IDToken, accessToken: string): Promise<string> {
  const { name, preferred_username: login, sub: subject } = claims;
  const besideToken = async () => textOf((await userInfo(asked, accessToken, subject))['name']);
  return textOf(name) ?? (await besideToken()) ?? textOf(login) ?? subject;
}

async function userInfo(
  { client, configuration }: Asked,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  try {
    return await client.fetchUserInfo(configuration, accessToken, subject);
  } catch (error) {
    log.warn({ msg: 'the identity provider gave no name', ...refusedAnswer(error) });
    return {};
  }
}

/** Removes characters that would reorder the name or show it as another person's. */
export function textOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const text = claim.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return text === '' ? undefined : text.slice(0, maxNameLength);
}
