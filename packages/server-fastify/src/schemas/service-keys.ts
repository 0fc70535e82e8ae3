import { type Static, Type } from '@sinclair/typebox';

const Key = Type.String({ pattern: '^[A-Za-z0-9_-]{8,200}$' });

/** Keys of a hosted observability service. */
export const ServiceKeys = Type.Object({ publicKey: Key, secretKey: Key });
export type ServiceKeys = Static<typeof ServiceKeys>;

export const ServiceKeysWritten = Type.Object({
  message: Type.String(),
  path: Type.Literal('.env', { description: 'In the directory of the app.' }),
});
export type ServiceKeysWritten = Static<typeof ServiceKeysWritten>;
