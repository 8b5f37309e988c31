import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Action } from '#domain/people';
import { RawBody, rawBody, rawTarget } from '#shared/http';
import { hashSecret, newSecret } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import {
  type Description,
  type PendingForm,
  type PendingFormKey,
  PendingForms,
} from '#records/people';

/** Time for the proof of presence: the person may have to find their key first. */
const toProveMs = 10 * 60_000;
/** Time after the proof in which the form is carried out (POR-11). */
const toCarryOutMs = 5 * 60_000;
const idPattern = /^[A-Za-z0-9_-]{43}$/;

/** The name of the field with which a form names the held form that it carries out. */
export const heldField = 'held';

/** Holds forms until their sender has proved presence for exactly what they say. */
@Injectable()
export class StepUp {
  constructor(private readonly forms: PendingForms) {}

  /**
   * Stores a form as it was sent.
   * @returns the id by which its session finds it
   */
  async hold(
    request: FastifyRequest,
    sessionHash: Buffer,
    { action, description }: { readonly action: Action; readonly description: Description },
  ): Promise<string> {
    const id = newSecret();
    const { target, mediaType, bytes } = sent(request);
    const digest = digestOf({ target, mediaType, bytes, description });
    const form: PendingForm = { action, target, digest, mediaType, bytes, description };
    await this.forms.hold({ idHash: hashSecret(id), sessionHash }, form, toProveMs);
    return id;
  }

  async find(id: string, sessionHash: Buffer) {
    const key = keyOf(id, sessionHash);
    return key && (await this.forms.find(key));
  }

  /**
   * Notes that the person proved presence for this digest.
   * @returns true if such a form waits
   */
  async prove(id: string, sessionHash: Buffer, digest: Buffer): Promise<boolean> {
    const key = keyOf(id, sessionHash);
    return key !== undefined && (await this.forms.prove(key, digest, toCarryOutMs));
  }

  /**
   * Replaces the form that names a held form with the held one, once.
   * @returns the description that its sender saw; undefined unless a form for this route waits that was proved and has
   * not changed by a byte
   */
  async carryOut(
    request: FastifyRequest,
    id: string,
    sessionHash: Buffer,
  ): Promise<Description | undefined> {
    const key = keyOf(id, sessionHash);
    const form = key && (await this.forms.take(key));
    if (form?.target !== sent(request).target || !digestOf(form).equals(form.digest))
      return undefined;
    request.body = new RawBody(form.bytes, form.mediaType);
    return form.description;
  }
}

function keyOf(id: string, sessionHash: Buffer): PendingFormKey | undefined {
  return idPattern.test(id) ? { idHash: hashSecret(id), sessionHash } : undefined;
}

type Digested = Pick<PendingForm, 'target' | 'mediaType' | 'bytes' | 'description'>;

function sent(request: FastifyRequest): Omit<Digested, 'description'> {
  const { path, query } = rawTarget(request);
  const body = rawBody(request);
  const target = query === '' ? path : `${path}?${query}`;
  return { target, mediaType: body?.mediaType, bytes: body?.bytes ?? Buffer.alloc(0) };
}

/**
 * A digest of the form and of the description that its sender saw, without the facts that change by themselves (POR-104).
 * Only posted forms are held.
 */
function digestOf({ target, mediaType = '', bytes, description }: Digested): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(['POST', target, mediaType, boundOf(description)]))
    .update('\n')
    .update(bytes)
    .digest();
}

/** The part of a description that a confirmation is bound to: all but the facts that change by themselves (POR-104). */
export function boundOf({ unbound: _, ...bound }: Description): Description {
  return bound;
}
