import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PublicFile } from '#shared/http';
import { sha256Hex } from '#shared/signing';
import { packageDirectory } from '#infra/runtime';
import { exportScript } from '../page/export-script.js';
import { shellScript } from '../page/shell-script.js';
import { style } from '../page/style/style.js';
import { checkProofScript } from './check-proof.js';

/** A file that pages load. Its address changes with its bytes, so that browsers may keep it for ever. */
export interface Asset {
  readonly address: string;
  readonly file: PublicFile;
}

const forEver = 'public, max-age=31536000, immutable';

interface Assets {
  readonly style: Asset;
  readonly htmx: Asset;
  /** Closes menus, leads to the search, copies and shows how far an export is; pages are complete without it. */
  readonly shell: Asset;
  /** Checks proofs. It is the same file that people use to check them offline. */
  readonly verifier: Asset;
  /** The script of a proof's page. */
  readonly proof: Asset;
}

let made: Assets | undefined;

/** Makes the files when the first page asks, so that they do not slow the start of the API. */
export function assets(): Assets {
  return (made ??= makeAssets());
}

function makeAssets(): Assets {
  const script = 'text/javascript; charset=utf-8';
  const source = readFileSync(packageDirectory('verifier', 'verify.mjs'));
  const verifier = asset('verify.mjs', script, source);
  return {
    style: asset('style.css', 'text/css; charset=utf-8', Buffer.from(style)),
    htmx: asset('htmx.js', script, readHtmx()),
    shell: asset('shell.js', script, Buffer.from(shellScript + exportScript)),
    verifier,
    proof: asset('proof.js', script, Buffer.from(checkProofScript(verifier.address))),
  };
}

export function allAssets(): readonly Asset[] {
  return Object.values(assets()) as Asset[];
}

function readHtmx(): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'));
}

function asset(name: string, type: string, bytes: Buffer): Asset {
  const [stem = '', extension = ''] = name.split('.');
  const address = `/portal/static/${stem}-${sha256Hex(bytes).slice(0, 12)}.${extension}`;
  const headers = { 'Content-Type': type, 'Cache-Control': forEver };
  return { address, file: new PublicFile(bytes, headers) };
}
