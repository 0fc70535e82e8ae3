import type { MessageRole } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { UiMessagePart } from './ui-message.ts';

export const StoredRole = Type.Unsafe<MessageRole>({ type: 'string', enum: ['user', 'assistant', 'system', 'tool'] });

/** A message of a conversation: a UI message of the AI SDK, with the time when it was written. */
export const StoredMessage = Type.Object(
  {
    id: Type.String(),
    role: StoredRole,
    // Not as the type that they have: it is too deep for the compiler to look for what is only read.
    parts: Type.Unsafe<readonly unknown[]>(Type.Array(UiMessagePart)),
    metadata: Type.Optional(Type.Unknown({ description: 'Any JSON, as it was given.' })),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'StoredMessage' },
);
export type StoredMessage = Static<typeof StoredMessage>;
