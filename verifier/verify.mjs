// Checks offline that a payment is in a signed head of PesaPost's history (docs/reference/audit.md, AUD-21), and that a
// later head's history continues a head that was kept (AUD-27). It is one file without dependencies, for Node 20 or
// later and for browsers.
//
//     node verify.mjs proof.json head.json public.pem
//
// - proof.json: the output of `npx pesapost audit prove`, or a collection's receipt.
// - head.json: the same file, or another head of the same size. If the proof is one since a head (`audit prove
//   --since`), that head, as it was kept.
// - public.pem: the service's public key, known from elsewhere, or its fingerprint (64 hex digits). It may contain
//   several keys, if a head was signed by a replaced one.

const hexDigits = /^[0-9a-f]*$/;
/** Characters that control a terminal or reorder a text: the file's author could hide the verdict with them. */
const unseen = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * @param {unknown} proof of `postings`, or of one posting
 * @param {unknown} sealed a head with its signature
 * @param {string} trusted public keys in PEM, or their fingerprints
 * @returns {Promise<{ok: boolean, steps: {ok: boolean, tells: string}[]}>} each step that was checked
 */
export async function verifyProof(proof, sealed, trusted) {
  const steps = [];
  const check = (ok, tells) => {
    steps.push({ ok, tells: tells.replace(unseen, '\ufffd') });
    return ok;
  };
  try {
    const isSince = isObject(proof) && proof.consistency !== undefined;
    const { head, signature, public_key } = sealedHeadOf(isSince ? proof.head : sealed);
    await checkHead({ head, signature, public_key, trusted }, check);
    if (isSince) await checkSince(proof, sealedHeadOf(sealed), trusted, check);
    const postings = isSince && proof.postings === undefined ? [] : postingsOf(proof);
    for (const posting of postings) await checkPosting(posting, head, check);
    if (postings.length > 1)
      check(
        new Set(postings.map(({ posting }) => posting.id)).size === postings.length,
        'the file holds each posting once',
      );
    if (proof.item !== undefined) checkItem(proof.item, postings, check);
    // A demo's receipt differs in nothing else, and it must not pass for a receipt of a payment.
    if (postings.some(({ posting }) => posting?.mode === 'demo'))
      check(true, 'it is of demo mode: no money was moved');
  } catch (error) {
    check(false, error instanceof Error ? error.message : String(error));
  }
  return { ok: steps.length > 0 && steps.every(({ ok }) => ok), steps };
}

async function checkHead({ head, signature, public_key, trusted }, check) {
  const der = fromBase64(public_key);
  const fingerprint = toHex(await sha256(der));
  const wanted = await fingerprintsOf(trusted);
  check(
    wanted.includes(fingerprint),
    `the head’s key has the trusted fingerprint ${wanted.includes(fingerprint) ? fingerprint : wanted.join(' or ')}`,
  );
  check(head.keyId === fingerprint, `the head of ${head.date} names that key`);
  const key = await crypto.subtle.importKey('spki', der, { name: 'Ed25519' }, false, ['verify']);
  const text = new TextEncoder().encode(canonical(head));
  const isSigned = await crypto.subtle.verify('Ed25519', key, fromBase64(signature), text);
  check(isSigned, 'its signature is that key’s');
}

/** Checks that nothing in the earlier head was changed, removed or inserted (RFC 9162 §2.1.4.2). */
async function checkSince({ consistency, head: { head } }, kept, trusted, check) {
  await checkHead({ ...kept, trusted }, check);
  const before = kept.head;
  check(
    canonical(before) !== canonical(head),
    `the head of ${before.date} is one that was kept, and not the proof’s own`,
  );
  for (const [what, size, root, path] of [
    ['postings', 'treeSize', 'root', consistency?.postings],
    ['events', 'historySize', 'historyRoot', consistency?.history],
  ])
    check(
      await goesOn(
        { size: sizeOf(before[size]), root: before[root] },
        { size: sizeOf(head[size]), root: head[root] },
        path,
      ),
      `the ${head[size]} ${what} of the head of ${head.date}, root ${head[root]}, begin with the ${before[size]} of that of ${before.date}, root ${before[root]}`,
    );
}

async function goesOn(before, after, path) {
  if (!Array.isArray(path) || before.size > after.size) return false;
  if (before.size === after.size) return path.length === 0 && before.root === after.root;
  if (before.size === 0) return path.length === 0 && before.root === toHex(await sha256(concat()));
  const beside = path.map(fromHex);
  if (beside.some(({ length }) => length !== 32)) return false;
  const half = (value) => Math.floor(value / 2);
  let [place, last] = [before.size - 1, after.size - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  // The earlier tree is a whole subtree of the later one, so its root is known and not part of the path.
  const first = place === 0 ? fromHex(before.root) : beside.shift();
  let [old, hash] = [first, first];
  if (!first) return false;
  for (const other of beside) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      old = await sha256(concat(Uint8Array.of(1), other, old));
      hash = await sha256(concat(Uint8Array.of(1), other, hash));
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = await sha256(concat(Uint8Array.of(1), hash, other));
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && toHex(old) === before.root && toHex(hash) === after.root;
}

function sizeOf(digits) {
  if (typeof digits !== 'string' || !/^(0|[1-9][0-9]{0,14})$/.test(digits))
    throw new Error('a head holds a size that is none');
  return Number(digits);
}

async function checkPosting({ posting, leaf_hash, proof }, head, check) {
  const what = `${posting?.type} of ${posting?.stream}`;
  if (!proof) {
    check(false, `${what} is not sealed yet: there is no proof`);
    return;
  }
  const leaf = await sha256(concat(Uint8Array.of(0), new TextEncoder().encode(canonical(posting))));
  check(toHex(leaf) === leaf_hash, `${what}: its content has the hash ${leaf_hash}`);
  check(
    String(proof.tree_size) === head.treeSize,
    `the proof is of the head’s tree of ${head.treeSize} postings`,
  );
  const root = await rootOf(leaf, proof);
  check(root === head.root, `its path leads to the head’s root ${head.root}`);
  const sum = posting.legs.reduce((total, { amountMinor }) => total + BigInt(amountMinor), 0n);
  const legs = posting.legs.map(({ account, amountMinor }) => `${account} ${amountMinor}`);
  const of = `minor units of ${posting.currency}, recorded at ${posting.recordedAt}`;
  check(sum === 0n, `its legs sum to zero: ${legs.join(', ')} (${of})`);
}

/**
 * Checks a receipt's statements about its collection, as far as the postings contain them too. No proof covers the
 * rest.
 */
function checkItem(item, proved, check) {
  const postings = proved.map(({ posting }) => posting);
  const { type, reference, account_no, currency, status, amount_minor, fee_minor } = item;
  // A reference may contain the text that comes before references, so the kind of item is checked too.
  const isOwn = ({ mode, merchantId, stream }) =>
    (type === 'collection' || type === 'payout') &&
    stream === `${type}-${mode}:${merchantId}:${reference}`;
  check(postings.every(isOwn), `its postings are those of ${type} ${reference}`);
  const legs = postings.flatMap((posting) => posting.legs);
  const wallet = legs.filter(({ account }) => account.startsWith('wallet:'));
  check(
    wallet.every(({ account }) => account === `wallet:${account_no}`) &&
      postings.every((posting) => posting.currency === currency),
    wallet.length > 0
      ? `they are of account ${account_no} in ${currency}`
      : `they are in ${currency}, and none of an account`,
  );
  const sumOf = (some) => some.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n);
  const fees = sumOf(legs.filter(({ account }) => account === 'fees'));
  const received = sumOf(wallet) + fees;
  const isCompleted = status === 'completed';
  // Wallet and fees together receive what the customer paid, or give what a payout's customer received.
  if (isCompleted) {
    const areWhole = Number.isSafeInteger(amount_minor) && Number.isSafeInteger(fee_minor);
    const moved = areWhole && BigInt(type === 'payout' ? -amount_minor : amount_minor);
    check(
      areWhole && amount_minor > 0 && received === moved && fees === BigInt(fee_minor),
      `they come to the amount ${amount_minor} and the fee ${fee_minor} of the completed ${type}`,
    );
  } else check(received === 0n && fees === 0n, `they leave nothing in the wallet of the ${type}`);
  check(true, 'nothing else of the receipt’s item or links is covered by the proof');
}

/** RFC 9162 §2.1.3.2. @returns {Promise<string>} hex; empty if the path fits no such tree */
async function rootOf(leaf, { index, tree_size, path }) {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(tree_size)) return '';
  if (index < 0 || index >= tree_size || !Array.isArray(path)) return '';
  let [place, last, hash] = [index, tree_size - 1, leaf];
  const half = (value) => Math.floor(value / 2);
  for (const text of path) {
    const beside = fromHex(text);
    if (last === 0 || beside.length !== 32) return '';
    if (place % 2 === 1 || place === last) {
      hash = await sha256(concat(Uint8Array.of(1), beside, hash));
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else hash = await sha256(concat(Uint8Array.of(1), hash, beside));
    [place, last] = [half(place), half(last)];
  }
  return last === 0 ? toHex(hash) : '';
}

/** Returns JSON by RFC 8785, for texts, whole numbers, lists and objects. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
      .join(',')}}`;
  if (typeof value === 'string' || Number.isSafeInteger(value)) return JSON.stringify(value);
  throw new Error('the file holds a value that is neither text nor whole number');
}

function postingsOf(proof) {
  const postings = proof?.postings ?? (proof?.posting ? [proof] : []);
  if (!Array.isArray(postings) || postings.length === 0)
    throw new Error('the file of the proof holds no posting');
  if (!postings.every(isObject) || !postings.every(({ posting }) => isObject(posting)))
    throw new Error('the file of the proof holds a posting that is none');
  if (proof.item !== undefined && !isObject(proof.item))
    throw new Error('the file of the proof holds an item that is none');
  return postings;
}

function isObject(value) {
  return typeof value === 'object' && value !== null;
}

function sealedHeadOf(sealed) {
  const found = sealed?.signature === undefined ? sealed?.head : sealed;
  const { head, signature, public_key } = found ?? {};
  if (typeof head !== 'object' || head === null || typeof signature !== 'string')
    throw new Error('the file of the head holds no signed head');
  return { head, signature, public_key };
}

async function fingerprintsOf(trusted) {
  const pem = /-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----/g;
  const keys = [...trusted.matchAll(pem)].map(([, body]) => fromBase64(body.replace(/\s/g, '')));
  const words = trusted
    .replace(pem, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (keys.length + words.length === 0 || !words.every((word) => /^[0-9a-f]{64}$/.test(word)))
    throw new Error('the trusted key is neither a public key in PEM nor a fingerprint');
  return [...words, ...(await Promise.all(keys.map(async (key) => toHex(await sha256(key)))))];
}

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function toHex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text) {
  if (typeof text !== 'string' || text.length % 2 !== 0 || !hexDigits.test(text))
    throw new Error('the path holds what is no lower-case hex');
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function fromBase64(text) {
  if (typeof text !== 'string') throw new Error('the file of the head lacks its key');
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/**
 * Runs on the command line; a browser has no `process`. Exit code 0: the proof is valid, 1: it is not, 2: wrong usage.
 */
async function main() {
  const { readFile, realpath } = await import('node:fs/promises');
  const { fileURLToPath } = await import('node:url');
  const [, script, ...files] = process.argv;
  if (!script || (await realpath(script)) !== fileURLToPath(import.meta.url)) return;
  if (files.length !== 3) {
    console.error('usage: node verify.mjs proof.json head.json public.pem');
    process.exitCode = 2;
    return;
  }
  const [proof, head, key] = await Promise.all(
    files.map((file) =>
      readFile(file, 'utf8').catch(() => (/^[0-9a-f]{64}$/.test(file) ? file : '')),
    ),
  );
  const parsed = (text, file) => {
    try {
      return JSON.parse(text);
    } catch {
      console.error(`${file} cannot be read, or is no JSON`);
      process.exitCode = 2;
      return undefined;
    }
  };
  const read = [parsed(proof, files[0]), parsed(head, files[1])];
  if (process.exitCode === 2) return;
  const { ok, steps } = await verifyProof(read[0], read[1], key);
  for (const step of steps) console.log(`${step.ok ? 'ok   ' : 'WRONG'} ${step.tells}`);
  console.log(ok ? 'the proof holds' : 'THE PROOF DOES NOT HOLD');
  if (!ok) process.exitCode = 1;
}

if (typeof process !== 'undefined' && process.versions?.node) await main();
