/**
 * Makes the user of EVENTSTORE_URL in a new event store, and lets it read $all: it needs no other right. A user that
 * exists stays as it is, and so do other readers of $all.
 */
import { EventStoreDBClient } from '@eventstore/db-client';

const { EVENTSTORE_URL = '', EVENTSTORE_ADMIN_URL = '', EVENTSTORE_USERS_URL } = process.env;
const deadlineMs = 10_000;
const [user, admin] = [new URL(EVENTSTORE_URL), new URL(EVENTSTORE_ADMIN_URL)];
const name = decodeURIComponent(user.username);

/** @param {URL} url */
const basic = ({ username, password }) =>
  Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');

async function createUser() {
  const answer = await fetch(EVENTSTORE_USERS_URL ?? `https://${admin.host}/users`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic(admin)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      loginName: name,
      fullName: 'PesaPost',
      groups: [],
      password: decodeURIComponent(user.password),
    }),
    signal: AbortSignal.timeout(deadlineMs),
  });
  await answer.arrayBuffer();
  // 409: there is one of this name.
  if (!answer.ok && answer.status !== 409)
    throw new Error(`the event store answered ${answer.status} to the new user ${name}`);
}

async function letReadAll() {
  const client = EventStoreDBClient.connectionString(EVENTSTORE_ADMIN_URL);
  try {
    const { metadata } = await client.getStreamMetadata('$all');
    const acl = typeof metadata?.acl === 'object' ? metadata.acl : {};
    const readers = [acl.readRoles ?? '$admins'].flat();
    if (!readers.includes(name))
      await client.setStreamMetadata('$all', {
        ...metadata,
        acl: { ...acl, readRoles: [...readers, name] },
      });
  } finally {
    await client.dispose();
  }
}

await createUser();
await letReadAll();
console.log(`the user ${name} may append, read streams and read $all`);
