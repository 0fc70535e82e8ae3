import type { Message, MessagePart, MessageRole, StoredMessage } from '@halyard/contracts';
import { estimatedJsonBytes } from './estimated-bytes.ts';

const bytesPerMessage = 200;

/** A message as it is kept and handed out: its parts are those that were handed over, and nobody changes them. */
export class KeptMessage implements StoredMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: MessagePart[];
  // Declared only: where there is none, there is no such key.
  declare readonly metadata?: unknown;
  readonly createdAt: number;
  readonly #bytes: number;

  constructor(message: Message, createdAt: number, id: string = message.id) {
    this.id = id;
    this.role = message.role;
    this.parts = message.parts;
    if (message.metadata !== undefined) this.metadata = message.metadata;
    this.createdAt = createdAt;
    this.#bytes = bytesPerMessage + estimatedJsonBytes(message.parts) + estimatedJsonBytes(message.metadata ?? null);
  }

  /** About how much memory it takes; no part of the message. */
  get bytes(): number {
    return this.#bytes;
  }
}
