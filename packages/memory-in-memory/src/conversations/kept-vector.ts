import type { MessageRole, MessageVector, VectorMatch } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';
import type { Link } from './linked-list.ts';

const bytesPerVector = 800;

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
    return bytesPerVector + estimatedJsonBytes(this.text) + this.direction.byteLength;
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
  const direction = new Float32Array(embedding.length);
  for (const [index, value] of embedding.entries()) direction[index] = value / length;
  return direction;
}

/** Cosine of the angle between two directions, 0 to 1: what points away counts as 0. */
export function similarity(one: Float32Array, other: Float32Array): number {
  // Four sums, since the processor can add to one while it still adds to another.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = one.length - (one.length % 4);
  for (let index = 0; index < whole; index += 4) {
    first += (one[index] ?? 0) * (other[index] ?? 0);
    second += (one[index + 1] ?? 0) * (other[index + 1] ?? 0);
    third += (one[index + 2] ?? 0) * (other[index + 2] ?? 0);
    fourth += (one[index + 3] ?? 0) * (other[index + 3] ?? 0);
  }
  for (let index = whole; index < one.length; index += 1) first += (one[index] ?? 0) * (other[index] ?? 0);
  const sum = first + second + third + fourth;
  // What is lost to 32 bits must not keep a text from being like itself.
  return Math.min(1, Math.max(0, Math.round(sum * 1e6) / 1e6));
}
