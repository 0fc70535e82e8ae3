import { jwtAuth } from '@halyard/auth-jwt';
import type { Storage } from '@halyard/contracts';
import type { LanguageModel } from '@halyard/core';
import { createHarbour, type Harbour } from '@halyard/example-with-vite-chat/server';

type HarbourOptions = NonNullable<Parameters<typeof createHarbour>[2]>;

/** The server of the chat, for users whose tokens the Next.js app has signed with this secret. */
export function createHarbourForUsers(
  model: LanguageModel,
  storage: Storage,
  secret: string,
  options: HarbourOptions = {},
): Promise<Harbour> {
  const provider = jwtAuth({ secret, verifyOptions: { audience: 'harbour', issuer: 'harbour-web' } });
  return createHarbour(model, storage, { ...options, auth: { provider } });
}
