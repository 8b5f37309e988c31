const unknownAuthority: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/** True if the code, of OpenSSL or Node, says that nothing vouches for the authority of a certificate. */
export function isOfUnknownAuthority(code: string): boolean {
  return unknownAuthority.has(code);
}

/**
 * Says why TLS refused a server's certificate, and what to do, without an address.
 * @param trustIn where the file of the server's authority is named
 * @returns undefined for another error
 */
export function refusedCertificate(error: unknown, trustIn: string): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== 'string') return undefined;
  if (code === 'CERT_HAS_EXPIRED')
    return 'its certificate, or that of its authority, has expired: install a new one there, or correct the clock of this machine';
  if (code === 'CERT_NOT_YET_VALID')
    return 'its certificate is not valid yet: correct the clocks of both machines';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate names other hosts: write a host that it names, or install one that names this host';
  if (isOfUnknownAuthority(code))
    return `its certificate was issued by an authority that is not trusted: name the authority’s file in ${trustIn}`;
  return undefined;
}
