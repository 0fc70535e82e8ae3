import { apiUrl, clientHeader } from '../api/client.ts';
import { type Credential, currentCredential, enterCredential, type Identity } from './credential.ts';

/**
 * Who a token is for. Undefined for the key, and if the server does not say: the token is then that
 * of a user.
 */
export async function readIdentity({ kind, value }: Credential): Promise<Identity | undefined> {
  if (kind === 'key') return undefined;
  try {
    const headers = { authorization: `Bearer ${value}`, ...clientHeader };
    const reply = await fetch(`${apiUrl}api/identity`, { headers });
    return reply.ok ? ((await reply.json()) as { readonly data: Identity }).data : undefined;
  } catch {
    return undefined;
  }
}

/** Reads it again for a token that the tab remembers: its roles may have changed. */
export async function restoreIdentity(): Promise<void> {
  const credential = currentCredential();
  if (credential?.kind === 'token') enterCredential(credential, await readIdentity(credential));
}
