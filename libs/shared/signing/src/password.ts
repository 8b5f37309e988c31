import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';

/** 16 MiB and some 50 ms for each guess. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
const [saltBytes, hashBytes] = [16, 32];

/** Returns the stored form of a password: `scrypt$N$r$p$salt$hash`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derive(password, salt, hashBytes, cost);
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

const form = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{16,64})\$([\w-]{32,128})$/;

/**
 * Takes the same time whatever the answer.
 * @param kept as `hashPassword` made it; undefined if there is no such person, and then the answer is false
 */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const match = form.exec(kept ?? decoy);
  if (!match) throw new TypeError('the stored password hash is malformed');
  const [, N, r, p, salt = '', hash = ''] = match;
  const expected = Buffer.from(hash, 'base64url');
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64url'), expected.length, options);
  return timingSafeEqual(given, expected) && kept !== undefined;
}

/** Used if there is no such person, so that the answer takes as long. */
const decoy = ['scrypt', cost.N, cost.r, cost.p, 'A'.repeat(22), 'A'.repeat(43)].join('$');

function derive(
  password: string,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
