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

/** Never called, because a signed-in person has a session row already. */
const issuer = 'http://localhost:9';
const subject = 'bench';

/** A replica of the API that serves the portal, and a signed-in person with every role. */
export interface Portal {
  /** Requests a page, or sends a form with the session's token. */
  ask(target: string, form?: Readonly<Record<string, string>>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  /** The time until all of the answer was received. */
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
      OIDC_CLIENT_SECRET: 'unused',
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
    // One person's session may not make so many requests (POR-54). The answer after the pause counts.
    if (answer.status === 429) {
      await sleep(1000 * Number(answer.headers.get('retry-after')));
      return ask(target, form);
    }
    const text = Buffer.from(bytes).toString();
    return { status: answer.status, text, bytes: bytes.byteLength, ms };
  };
  const { text } = await ask('/portal/find');
  formToken = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  if (formToken === '') throw new Error('the session is not signed in');
  return { ask };
}

/** Grants all roles as if two admins had granted them. */
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

/** @returns the value of the browser's cookie */
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
