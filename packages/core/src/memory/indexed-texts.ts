import { hash } from 'node:crypto';
import type { IndexedMessage } from './indexed-message.ts';

/** Which texts this process has indexed, so that a message that is written again as it was is not embedded again. The oldest are forgotten. */
export class IndexedTexts {
  readonly #limit: number;
  /** A digest of the text, by conversation and message. */
  readonly #digests = new Map<string, string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has({ conversationId, messageId, text }: IndexedMessage): boolean {
    return this.#digests.get(`${conversationId}/${messageId}`) === digestOf(text);
  }

  add({ conversationId, messageId, text }: IndexedMessage): void {
    const key = `${conversationId}/${messageId}`;
    this.#digests.delete(key);
    this.#digests.set(key, digestOf(text));
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > this.#limit && oldest !== undefined) this.#digests.delete(oldest);
  }

  delete(conversationId: string, messageId: string): void {
    this.#digests.delete(`${conversationId}/${messageId}`);
  }

  deleteConversation(conversationId: string): void {
    for (const key of this.#digests.keys()) if (key.startsWith(`${conversationId}/`)) this.#digests.delete(key);
  }

  clear(): void {
    this.#digests.clear();
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}
