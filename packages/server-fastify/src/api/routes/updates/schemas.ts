import { type Static, Type } from '@sinclair/typebox';

/** Newer versions of the Halyard packages among the direct dependencies of the app. */
export const UpdatesReport = Type.Object({
  hasUpdates: Type.Boolean(),
  updates: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the npm package.' }),
      installed: Type.String(),
      latest: Type.String(),
      type: Type.Union([Type.Literal('major'), Type.Literal('minor'), Type.Literal('patch')]),
    }),
  ),
  count: Type.Integer(),
  message: Type.String({ description: 'The result in words; also reports an unreachable registry.' }),
});
export type UpdatesReport = Static<typeof UpdatesReport>;

export const InstalledUpdates = Type.Object({
  updated: Type.Array(
    Type.Object({
      name: Type.String(),
      from: Type.Union([Type.String(), Type.Null()], { description: 'Null if it was not installed.' }),
      to: Type.String({ description: 'The installed version.' }),
    }),
  ),
  restartRequired: Type.Boolean({
    description: 'Whether anything was updated. Updates take effect at the next start.',
  }),
});
export type InstalledUpdates = Static<typeof InstalledUpdates>;

const Key = Type.String({ pattern: '^[A-Za-z0-9_-]{8,200}$' });

/** The keys of a hosted observability service. */
export const ServiceKeys = Type.Object({ publicKey: Key, secretKey: Key });
export type ServiceKeys = Static<typeof ServiceKeys>;

export const ServiceKeysWritten = Type.Object({
  message: Type.String(),
  path: Type.Literal('.env', { description: 'In the directory of the app.' }),
});
export type ServiceKeysWritten = Static<typeof ServiceKeysWritten>;
