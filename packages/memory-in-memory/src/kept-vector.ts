import type { MessageRole, MessageVector, VectorMatch } from '@halyard/contracts';
import type { Link } from './linked-list.ts';

const bytesPerVector = 600;

/** What is kept of a vector: its direction, and the message it belongs to. */
export class KeptVector {
  readonly conversationId: string;
  readonly messageId: string;
  readonly userId: string;
  readonly role: MessageRole;
  readonly text: string;
  readonly createdAt: number;
  readonly direction: Float32Array;
  /** Its places in the lists it is looked up in. */
  links: readonly Link<KeptVector>[] = [];

  constructor(vector: MessageVector) {
    this.conversationId = vector.conversationId;
    this.messageId = vector.messageId;
    this.userId = vector.userId;
    this.role = vector.role;
    this.text = vector.text;
    this.createdAt = vector.createdAt;
    this.direction = directionOf(vector.embedding);
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return bytesPerVector + 2 * this.text.length + this.direction.byteLength;
  }

  toMatch(score: number): VectorMatch {
    const { conversationId, messageId, userId, role, text, createdAt } = this;
    return { conversationId, messageId, userId, role, text, createdAt, score };
  }
}

/** A vector of length 1 that points where this one does; one that points nowhere is left as it is. */
export function directionOf(embedding: readonly number[]): Float32Array {
  let squares = 0;
  for (const value of embedding) squares += value * value;
  const length = Math.sqrt(squares) || 1;
  return Float32Array.from(embedding, (value) => value / length);
}

/** Cosine of the angle between two directions, 0 to 1: what points away counts as 0. */
export function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  // What is lost to 32 bits must not keep a text from being like itself.
  return Math.min(1, Math.max(0, Math.round(sum * 1e6) / 1e6));
}
