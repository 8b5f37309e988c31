import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type HeldRole, personId, roleStream } from '#domain/people';
import { eventTypes } from '#domain/event-types';
import { EventStoreDb } from '#infra/eventstoredb';
import { freePort } from '#infra/local-servers';
import { hashSecret, newSecret } from '#shared/signing';
import { type Fixture } from './fixture.js';
import { startNode } from './node-process.js';
import { type Service } from './service.js';

/** Nobody asks it: whoever is signed in has a session's row already. */
const issuer = 'http://localhost:9';
const subject = 'bench';

/** A replica of the API that serves the portal, and a person of every role who is signed in there. */
export interface Portal {
  /** Asks for a page, or sends a form with the session's token. */
  ask(target: string, form?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  /** Until all of it was there. */
  readonly ms: number;
}

export async function startPortal(fixture: Fixture, service: Service): Promise<Portal> {
  const { env, merchant, databaseUrl } = service;
  const port = await freePort();
  const url = `http://localhost:${port}`;
  await grantAll(env['EVENTSTORE_URL'] ?? '', merchant.merchantId);
  await startNode(fixture, {
    name: 'portal',
    module: 'apps/api/src/main',
    folder: await fixture.folder('portal'),
    env: {
      ...env,
      PORT: String(port),
      ADMIN_PORT: String(await freePort()),
      PORTAL_URL: url,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: 'portal',
      OIDC_CLIENT_SECRET: 'nobody asks',
    },
    port,
  });
  const cookie = `portal=${await signedIn(databaseUrl)}`;
  let formToken = '';
  const ask = async (target: string, form?: Readonly<Record<string, string>>): Promise<Answer> => {
    const body = form && new URLSearchParams({ form_token: formToken, ...form });
    const askedAt = performance.now();
    const answer = await fetch(`${url}${target}`, {
      ...(body && { method: 'POST', body }),
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      redirect: 'manual',
    });
    const bytes = await answer.arrayBuffer();
    const ms = performance.now() - askedAt;
    // More than one person's session may ask for (POR-54): the answer that counts comes after the pause.
    if (answer.status === 429) {
      await sleep(1000 * Number(answer.headers.get('retry-after')));
      return ask(target, form);
    }
    const text = Buffer.from(bytes).toString();
    return { status: answer.status, text, bytes: bytes.byteLength, ms };
  };
  const { text } = await ask('/portal/find');
  formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  if (formToken === '') throw new Error('nobody is signed in');
  return { ask };
}

/** Roles as if two admins had granted them. */
async function grantAll(url: string, merchantId: string): Promise<void> {
  const store = new EventStoreDb({
    connectionString: url,
    eventTypes,
    deadlineMs: 30_000,
    logger: { warn: () => undefined },
    onFatal: (error) => {
      throw error;
    },
  });
  const person = personId({ issuer, subject });
  const roles: readonly HeldRole[] = [
    ...(['viewer', 'support', 'finance', 'admin', 'auditor'] as const).map((role) => ({ role })),
    ...(['developer', 'owner'] as const).map((role) => ({ role, merchantId })),
  ];
  const granted = (role: HeldRole) => ({
    id: randomUUID(),
    event: {
      type: 'RoleGranted' as const,
      data: { ...role, person, name: 'Bench', proposedBy: 'one', confirmedBy: 'two' },
    },
    metadata: {
      v: 1,
      correlationId: 'bench',
      actor: { kind: 'operator' as const, id: 'two' },
    },
  });
  try {
    await store.append(roleStream, 'no_stream', roles.map(granted));
  } finally {
    await store.dispose();
  }
}

/** @returns what the browser's cookie holds */
async function signedIn(databaseUrl: string): Promise<string> {
  const id = newSecret();
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `insert into records.portal_sessions
         (id_hash, issuer, subject, name, authenticated_at, idle_ends_at, ends_at)
       values ($1, $2, $3, 'Bench', now(), now() + interval '8 hours', now() + interval '8 hours')`,
      [hashSecret(id), issuer, subject],
    );
  } finally {
    await database.end();
  }
  return id;
}
