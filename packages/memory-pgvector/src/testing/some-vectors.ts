import type { MessageVector } from '@halyard/contracts';

/** A vector of a message of `anna` in `conversation`, unless said otherwise. */
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

/** As many vectors, of `bob` in conversations of 100, which all point about as `toward` does. */
export function foreignVectors(count: number, toward: readonly number[]): readonly MessageVector[] {
  return Array.from({ length: count }, (_, index) =>
    messageVector(
      `foreign-${index}`,
      toward.map((part, axis) => part + 0.2 * Math.sin(1 + index * (axis + 1.7))),
      { conversationId: `foreign-${Math.floor(index / 100)}`, userId: 'bob' },
    ),
  );
}
