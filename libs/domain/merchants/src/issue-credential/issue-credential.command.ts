import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  mayDecide,
  type ProposalRow,
  ProposalSubject,
  type Weighed,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { boundTo, hasSimilarHolder, holderAsSeen } from '../holders.js';
import { type CredentialIssued, type Ending, endOf, merchantStream } from '../merchant.events.js';
import { isCarriedOut, type Merchant, merchantDecider } from '../merchant.js';
import { CredentialSecrets, UniqueNames } from '../ports.js';

export function decideIssueCredential(
  credential: CredentialIssued['data'],
  state: Merchant,
): Result<readonly CredentialIssued[], 'unknown_merchant' | 'similar_holder'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  if (hasSimilarHolder(credential.holder, state)) return refuse('similar_holder');
  return ok([{ type: 'CredentialIssued', data: credential }]);
}

/** A merchant's public key, RSA of 2048 bits or more, as the edge has parsed it. */
export interface InspectedKey {
  readonly pem: string;
  /** SHA-256 of its DER form, lower-case hex. */
  readonly fingerprint: string;
}

/** `similar_holder`: a holder of the merchant differs from it only by case, spaces or Unicode form. */
export type IssueCredentialRefusal = 'unknown_merchant' | 'key_taken' | 'similar_holder';

export interface IssuedCredential {
  readonly credentialId: string;
  readonly clientId: string;
  /** Shown once; only its hash is stored. */
  readonly clientSecret: string;
}

/** The requested V4 credential. */
export interface CredentialDetails extends Ending {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly publicKey: InspectedKey;
  readonly ipRanges: readonly string[];
  readonly rate?: string;
}

/** Issues a V4 credential to a holder: a client id and secret for tokens, and the key that signs its requests. */
export const issueCredential: Change<
  CredentialDetails,
  IssuedCredential | undefined,
  IssueCredentialRefusal
> = { kind: 'credential' };

/** A live credential needs two admins (PEO-30), because it can request payouts and approve them. */
@Injectable()
export class IssueCredentialSubject extends ProposalSubject<
  CredentialDetails,
  IssuedCredential | undefined,
  IssueCredentialRefusal
> {
  override readonly change = issueCredential;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly names: UniqueNames,
    private readonly secrets: CredentialSecrets,
  ) {
    super();
  }

  override write({ publicKey: { pem, fingerprint }, ...details }: CredentialDetails): Json {
    return { ...details, publicKey: { pem, fingerprint } };
  }

  override read(written: Json): CredentialDetails {
    return written as unknown as CredentialDetails;
  }

  override async weigh(
    details: CredentialDetails,
  ): Promise<Result<WeighedChange, IssueCredentialRefusal>> {
    const { merchantId, mode, publicKey } = details;
    const { state } = await this.pipeline.load(stepOf(merchantId));
    const weighed = weighCredential(details, state);
    if (!weighed.ok) return weighed;
    return ok({
      ...weighed.value,
      about: `${merchantId} ${publicKey.fingerprint}`,
      merchantId,
      mode,
    });
  }

  override describe(
    { mode, holder, publicKey, ipRanges, rate, expiresAt }: CredentialDetails,
    seen: string,
  ): readonly ProposalRow[] {
    return [
      { field: 'mode', value: mode },
      { field: 'holder', value: holder },
      { field: 'bound_to', value: boundTo(seen) },
      { field: 'ips', value: ipRanges.join(', ') },
      ...(rate === undefined ? [] : [{ field: 'rate', value: rate } as const]),
      ...(expiresAt === undefined ? [] : [{ field: 'expires', value: expiresAt } as const]),
      { field: 'key', value: `SHA-256 ${publicKey.fingerprint}` },
    ];
  }

  /** @returns no secret if another call carried out the proposal, since that call shows it */
  override async carryOut(
    details: CredentialDetails,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<IssuedCredential | undefined, IssueCredentialRefusal | DecidedRefusal>> {
    const { merchantId, publicKey } = details;
    const step = { ...stepOf(merchantId), metadata };
    const before = await this.pipeline.load(step);
    if (isCarriedOut(decided, before.state)) return ok(undefined);
    const may = weighCredential(details, before.state);
    if (!may.ok) return may;
    const allowed = mayDecide(decided, may.value);
    if (!allowed.ok) return allowed;
    const credentialId = decided.by === 'two' ? decided.proposalId : this.pipeline.newId();
    // A key signs for one credential only, because evidence must name one holder.
    const fresh = await this.names.reserve('key_fingerprint', publicKey.fingerprint, credentialId);
    if (!fresh) return refuse('key_taken');

    if (details.expiresAt !== undefined)
      await this.secrets.endAt(credentialId, details.expiresAt, 0n);
    const { clientId, clientSecret } = await this.secrets.issue(credentialId);
    const named = { credentialId, clientId };
    const issued = await this.pipeline.run(
      step,
      (state) => decideIssueV4Credential({ details, named, decided }, state),
      before,
    );
    if (issued.ok && issued.value.appended) return ok({ ...named, clientSecret });
    if (await this.isNamed(merchantId, clientId)) return ok({ ...named, clientSecret });
    // The same admin's other confirmation issued the credential, with the secret that it showed.
    await this.secrets.withdraw(clientId);
    return issued.ok ? ok(undefined) : issued;
  }

  /** True if an event names the client id, as after an append that succeeded without an answer. */
  private async isNamed(merchantId: string, clientId: string): Promise<boolean> {
    const { events } = await this.pipeline.load(stepOf(merchantId));
    return events.some(
      ({ type, data }) =>
        type === 'CredentialIssued' && data.kind === 'v4' && data.clientId === clientId,
    );
  }
}

function stepOf(merchantId: string) {
  return { decider: merchantDecider, stream: merchantStream(merchantId) };
}

/** Returns the credential as its event has it, if these admins may issue it in this state. */
export function decideIssueV4Credential(
  {
    details,
    named,
    decided,
  }: {
    readonly details: CredentialDetails;
    readonly named: Pick<IssuedCredential, 'credentialId' | 'clientId'>;
    readonly decided: Decided;
  },
  state: Merchant,
): Result<readonly CredentialIssued[], IssueCredentialRefusal | DecidedRefusal> {
  if (isCarriedOut(decided, state)) return ok([]);
  const weighed = weighCredential(details, state);
  if (!weighed.ok) return weighed;
  const may = mayDecide(decided, weighed.value);
  if (!may.ok) return may;
  const { mode, holder, publicKey, ipRanges, rate } = details;
  const { credentialId, clientId } = named;
  const identity = { credentialId, kind: 'v4', mode, holder, clientId } as const;
  const given = {
    publicKeyPem: publicKey.pem,
    ipRanges,
    ...(rate === undefined ? {} : { rate }),
    ...endOf(details),
  };
  return decideIssueCredential({ ...identity, ...given, ...may.value }, state);
}

/** Weighs a new credential. It gives its holder another key, so the admins see the holder's identity and its keys. */
function weighCredential(
  { mode, holder }: Pick<CredentialDetails, 'mode' | 'holder'>,
  state: Merchant,
): Result<Weighed, 'unknown_merchant' | 'similar_holder'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  if (hasSimilarHolder(holder, state)) return refuse('similar_holder');
  return ok({ needsTwo: mode === 'live', seen: holderAsSeen(holder, state) });
}
