import { type Static, Type } from '@sinclair/typebox';
import { memoryFields } from './memory-query.ts';

/** Which messages of a conversation are listed: the newest that fit, oldest first. */
export const MessageQuery = Type.Object({
  ...memoryFields,
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  before: Type.Optional(Type.String({ description: 'Written before: an ISO 8601 timestamp.' })),
  after: Type.Optional(Type.String({ description: 'Written after: an ISO 8601 timestamp.' })),
  roles: Type.Optional(
    Type.String({
      pattern: '^(user|assistant|system|tool)(,(user|assistant|system|tool))*$',
      description: 'Separated by commas: `user`, `assistant`, `system`, `tool`. Default: all.',
    }),
  ),
});
export type MessageQuery = Static<typeof MessageQuery>;
