import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';

/** What every request to the memory may say, in its query or its body. */
export const memoryFields = {
  agentId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description: 'Whose memory is meant. Default: that of the server, else of the only agent that has one.',
    }),
  ),
  userId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description: 'Whose conversations are meant. A verified user need not say it, and can name nobody else.',
    }),
  ),
};

export const MemoryQuery = Type.Object(memoryFields);
export type MemoryQuery = Static<typeof MemoryQuery>;
