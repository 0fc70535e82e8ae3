import type { ConversationStore, Ids, Message, MessagePart, Owner } from '@halyard/contracts';
import { jsonBytes } from '../../json/json-bytes.ts';

/** Up to this size, in bytes of JSON, a reply is always written whole. */
const smallBytes = 16 * 1024;

export interface GrowingMessageOptions {
  readonly conversations: ConversationStore;
  readonly owner: Owner;
  readonly conversationId: string;
  readonly ids: Ids;
}

/**
 * Writes a stored reply that grows: only the parts that have changed since the last write. So the
 * cost of a run is not the square of its length. The reply must be written whole at the end.
 */
export class GrowingMessage {
  readonly #options: GrowingMessageOptions;
  #writer: string | undefined;
  /**
   * The parts as they were last written here. Undefined: the reply was last written whole, as far
   * as is known.
   */
  #written: readonly MessagePart[] | undefined;

  constructor(options: GrowingMessageOptions) {
    this.#options = options;
  }

  /** Whether the reply must still be written whole. */
  get isOpen(): boolean {
    return this.#written !== undefined;
  }

  /**
   * Whether {@link save} may be called: a short reply is written whole, and so is each in a store
   * that knows no parts.
   */
  takes({ parts }: Message): boolean {
    return this.#options.conversations.saveParts !== undefined && (this.isOpen || jsonBytes(parts) > smallBytes);
  }

  /**
   * @param answer a snapshot: it is not changed later.
   * @returns false when it must be written whole now.
   */
  async save({ id: messageId, metadata, parts }: Message): Promise<boolean> {
    const { conversationId, conversations, ids, owner } = this.#options;
    const written = this.#written;
    this.#writer ??= ids.next();
    const isSaved = await conversations.saveParts?.(owner, {
      conversationId,
      messageId,
      writer: this.#writer,
      length: parts.length,
      parts: parts.flatMap((part, place) => (isSame(part, written?.[place]) ? [] : [{ place, part }])),
      ...(metadata !== undefined && { metadata }),
    });
    this.#written = isSaved === true ? parts : undefined;
    return this.isOpen;
  }

  /** Notes that the reply was written whole. */
  close(): void {
    this.#written = undefined;
  }
}

/** Whether the fields are the same values. Objects in fields do not change during a run. */
function isSame(part: MessagePart, written: MessagePart | undefined): boolean {
  if (written === undefined) return false;
  const [fields, before] = [new Map(Object.entries(part)), new Map(Object.entries(written))];
  return fields.size === before.size && [...fields].every(([name, value]) => Object.is(value, before.get(name)));
}
