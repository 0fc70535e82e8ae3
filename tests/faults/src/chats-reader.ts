import { setTimeout as delay } from 'node:timers/promises';
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';

const retryMs = 50;

/** How an answer ended for its reader. `unavailable`: it was no longer available. `late`: it did not end in time. */
export type Ending = 'finish' | 'abort' | 'error' | 'unavailable' | 'late';

/** A browser tab that reads an answer with the transport of the AI SDK, as `useChat` does. When a connection breaks, it reconnects to another replica. */
export class ChatReader {
  readonly conversationId: string;
  /** The replicas it was connected to, in order. */
  readonly replicas: number[] = [];
  ending: Ending = 'late';
  text = '';
  endedAt = 0;
  readonly #client: HttpClient;

  constructor(conversationId: string, client: HttpClient) {
    this.conversationId = conversationId;
    this.#client = client;
  }

  /** Sends a message (`asks`), or joins a running answer, and reads the answer to its end. After `leavesAfterMs` it disconnects once and reconnects to another replica. */
  async read(
    first: Replica,
    { asks, leavesAfterMs, until }: { readonly asks: boolean; readonly leavesAfterMs?: number; readonly until: number },
  ): Promise<void> {
    let isFirst = true;
    for (let replica = first; performance.now() < until; replica = this.#client.any()) {
      this.replicas.push(replica.index);
      const leaving = new AbortController();
      const timer = setTimeout(() => leaving.abort(), isFirst ? leavesAfterMs : undefined);
      if (leavesAfterMs === undefined || !isFirst) clearTimeout(timer);
      try {
        const stream = await (asks && isFirst ? this.#ask(replica, leaving.signal) : this.#reconnect(replica));
        isFirst = false;
        if (stream === null) {
          this.ending = 'unavailable';
          this.endedAt = performance.now();
          return;
        }
        const ending = await this.#follow(stream);
        if (ending === undefined) continue;
        this.ending = ending;
        this.endedAt = performance.now();
        return;
      } catch {
        isFirst = false;
        // The connection broke, or the replica is down.
        await delay(retryMs);
      } finally {
        clearTimeout(timer);
      }
    }
  }

  #transport({ origin }: Replica): DefaultChatTransport<UIMessage> {
    return new DefaultChatTransport({
      api: `${origin}/agents/storyteller/chat`,
      body: { options: { userId: `of-${this.conversationId}` } },
    });
  }

  #ask(replica: Replica, abortSignal: AbortSignal): Promise<ReadableStream<UIMessageChunk>> {
    return this.#transport(replica).sendMessages({
      trigger: 'submit-message',
      chatId: this.conversationId,
      messageId: undefined,
      messages: [{ id: `asks-${this.conversationId}`, role: 'user', parts: [{ type: 'text', text: 'Tell me' }] }],
      abortSignal,
    });
  }

  #reconnect(replica: Replica): Promise<ReadableStream<UIMessageChunk> | null> {
    return this.#transport(replica).reconnectToStream({ chatId: this.conversationId });
  }

  /** The type of the last chunk. Undefined when the stream was interrupted. */
  async #follow(stream: ReadableStream<UIMessageChunk>): Promise<'finish' | 'abort' | 'error' | undefined> {
    const [shown, counted] = stream.tee();
    let last: UIMessageChunk['type'] | undefined;
    const counting = counted.pipeTo(
      new WritableStream({
        write: ({ type }) => {
          last = type;
        },
      }),
    );
    counting.catch(() => {});
    for await (const message of readUIMessageStream({ stream: shown, onError: () => {} })) this.text = textOf(message);
    await counting;
    return last === 'finish' || last === 'abort' || last === 'error' ? last : undefined;
  }
}

export function textOf({ parts }: Pick<UIMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
