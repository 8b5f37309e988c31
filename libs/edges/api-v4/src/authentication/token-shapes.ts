import { named } from '#shared/openapi';
import { z } from 'zod';

export const tokenLifeSeconds = 3600;
export const grantType = 'client_credentials';

/** RFC 6749 §4.4.2. */
export const tokenRequest = named(
  'TokenRequest',
  z.object({ grant_type: z.literal(grantType).describe('Given once.') }),
);

/** RFC 6749 §5.1. */
export const tokenResponse = named(
  'Token',
  z.object({
    access_token: z.string().describe('Opaque; bear it as `Authorization: Bearer …`.'),
    token_type: z.literal('Bearer'),
    expires_in: z.literal(tokenLifeSeconds).describe('Seconds.'),
  }),
);
export type TokenResponse = z.infer<typeof tokenResponse>;

export const tokenExample = {
  access_token: 'Wm2vL1b0mY5p1mZ3oXvZy2cT9tH8uQ4rS6kJ7nB0dEg',
  token_type: 'Bearer',
  expires_in: tokenLifeSeconds,
};
