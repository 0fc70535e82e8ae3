import type { Message, MessagePart, MessageRole, StoredMessage } from '@halyard/contracts';
import { estimatedJsonBytes } from '../estimated-bytes.ts';

const bytesPerMessage = 200;

/** A message as it is kept, and handed out as it is kept: frozen. */
export class KeptMessage implements StoredMessage {
  readonly id: string;
  readonly role: MessageRole;
  readonly parts: MessagePart[];
  // Declared only: where there is none, there is no such key.
  declare readonly metadata?: unknown;
  readonly createdAt: number;

  /** The message is one that nobody can change. */
  constructor(message: Message, createdAt: number, id: string) {
    this.id = id;
    this.role = message.role;
    this.parts = message.parts;
    if (message.metadata !== undefined) this.metadata = message.metadata;
    this.createdAt = createdAt;
    Object.freeze(this);
  }
}

/** About how much memory a kept message takes. */
export function messageBytes({ metadata, parts }: Message): number {
  return bytesPerMessage + estimatedJsonBytes(parts) + estimatedJsonBytes(metadata);
}
