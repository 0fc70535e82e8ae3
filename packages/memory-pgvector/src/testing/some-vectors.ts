import type { MessageVector } from '@halyard/contracts';

/** A vector of a message. Default: of the user `anna` in `conversation`. */
export function messageVector(
  messageId: string,
  embedding: readonly number[],
  changed: Partial<MessageVector> = {},
): MessageVector {
  return {
    conversationId: 'conversation',
    messageId,
    userId: 'anna',
    role: 'user',
    text: `text of ${messageId}`,
    createdAt: 1_700_000_000_000,
    embedding,
    ...changed,
  };
}

/**
 * Vectors of the user `bob` in conversations of 100 messages. All have a similar direction to
 * `toward`.
 */
export function foreignVectors(count: number, toward: readonly number[]): readonly MessageVector[] {
  return Array.from({ length: count }, (_, index) =>
    messageVector(
      `foreign-${index}`,
      toward.map((part, axis) => part + 0.2 * Math.sin(1 + index * (axis + 1.7))),
      { conversationId: `foreign-${Math.floor(index / 100)}`, userId: 'bob' },
    ),
  );
}
