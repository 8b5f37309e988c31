/** The demo merchant, as `npm start` wrote it into DATA_DIR. DEMO_JSON names another file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PesaPost } from '@pesapost/sdk';

interface Demo {
  readonly base_url: string;
  readonly v4: {
    readonly client_id: string;
    readonly client_secret: string;
    readonly private_key_pem: string;
    readonly account_no: string;
    readonly currency: string;
  };
  /** The credential of a second holder, for approvals. */
  readonly v4_checker: {
    readonly client_id: string;
    readonly client_secret: string;
    readonly private_key_pem: string;
  };
}

export const demo = JSON.parse(
  readFileSync(
    process.env['DEMO_JSON'] ?? join(process.env['DATA_DIR'] ?? '.data', 'demo.json'),
    'utf8',
  ),
) as Demo;

export const client = new PesaPost({
  baseUrl: demo.base_url,
  clientId: demo.v4.client_id,
  clientSecret: demo.v4.client_secret,
  privateKey: demo.v4.private_key_pem,
});
