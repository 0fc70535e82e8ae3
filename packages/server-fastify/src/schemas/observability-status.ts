import { type Static, Type } from '@sinclair/typebox';

/** Whether and where a server records, and how much is kept. */
export const ObservabilityStatus = Type.Object(
  {
    enabled: Type.Boolean(),
    storage: Type.Union([Type.String(), Type.Null()], {
      description: '`in-memory`, `postgres`; null where it is off.',
    }),
    persistent: Type.Boolean({ description: 'Whether it outlives the process.' }),
    websocket: Type.String({ description: 'Path of the channel that tells of it live.' }),
    traceCount: Type.Integer(),
    spanCount: Type.Integer(),
    logCount: Type.Integer(),
    message: Type.String(),
  },
  { $id: 'ObservabilityStatus' },
);
export type ObservabilityStatus = Static<typeof ObservabilityStatus>;
