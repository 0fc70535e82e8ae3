import { setTimeout as delay } from 'node:timers/promises';
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';

const retryMs = 50;

/**
 * How an answer ended for its reader. `unavailable`: it was no longer available. `late`: it did not
 * end in time.
 */
export type Ending = 'finish' | 'abort' | 'error' | 'unavailable' | 'late';

interface ReadOptions {
  readonly asks: boolean;
  readonly leavesAfterMs?: number;
  readonly until: number;
}

/**
 * A browser tab that reads an answer with the transport of the AI SDK, as `useChat` does. When a
 * connection breaks, it reconnects to another replica.
 */
export class ChatReader {
  readonly conversationId: string;
  /** The replicas it was connected to, in order. */
  readonly replicas: number[] = [];
  ending: Ending = 'late';
  text = '';
  endedAt = 0;
  /** The replica that accepted its question, or that was asked last. */
  asked: number | undefined;
  /** Why it could not show what it received. */
  failure: unknown;
  readonly #client: HttpClient;
  readonly #questionId: string;
  readonly #accepted = Promise.withResolvers<void>();

  /**
   * @param question names the message that it sends. Each question needs its own name, because a
   * message that is sent again gets the answer that is stored.
   */
  constructor(conversationId: string, client: HttpClient, question = 'first') {
    this.conversationId = conversationId;
    this.#client = client;
    this.#questionId = `${question}-${conversationId}`;
  }

  /** Resolves when its question has been accepted, or it has stopped asking. */
  get accepted(): Promise<void> {
    return this.#accepted.promise;
  }

  /**
   * Sends a message (`asks`), again if it did not arrive, or joins a running answer, and reads the
   * answer to its end. `leavesAfterMs` after the answer has begun it disconnects once and
   * reconnects to another replica.
   */
  async read(first: Replica, options: ReadOptions): Promise<void> {
    await this.#read(first, options);
    this.#accepted.resolve();
  }

  async #read(first: Replica, { asks, leavesAfterMs, until }: ReadOptions): Promise<void> {
    let mustAsk = asks;
    let leaves = leavesAfterMs;
    for (let replica = first; performance.now() < until; replica = this.#client.any()) {
      this.replicas.push(replica.index);
      const leaving = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      try {
        const isAsking = mustAsk;
        mustAsk = false;
        if (isAsking) this.asked = replica.index;
        const stream = await (isAsking ? this.#ask(replica, leaving.signal) : this.#reconnect(replica));
        if (stream === null) {
          // The question may not have arrived.
          mustAsk = asks && !(await this.#hasArrived());
          if (mustAsk) continue;
          this.#end('unavailable');
          return;
        }
        this.#accepted.resolve();
        if (isAsking && leaves !== undefined) timer = setTimeout(() => leaving.abort(), leaves);
        leaves = undefined;
        const ending = await this.#follow(stream);
        if (ending === undefined) continue;
        this.#end(ending);
        return;
      } catch {
        // The connection broke, or the replica is down.
        await delay(retryMs);
      } finally {
        clearTimeout(timer);
      }
    }
  }

  #end(ending: Ending): void {
    this.ending = ending;
    this.endedAt = performance.now();
  }

  async #hasArrived(): Promise<boolean> {
    const id = this.conversationId;
    const { data, status } = await this.#client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`);
    const { messages = [] } = (data ?? {}) as { readonly messages?: readonly UIMessage[] };
    return status === 200 && messages.some((message) => message.id === this.#questionId);
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
      messages: [{ id: this.#questionId, role: 'user', parts: [{ type: 'text', text: 'Tell me' }] }],
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
    let failure: unknown;
    const onError = (error: unknown): void => {
      failure ??= error;
    };
    for await (const message of readUIMessageStream({ stream: shown, onError })) this.text = textOf(message);
    await counting;
    if (last !== 'error') this.failure ??= failure;
    return last === 'finish' || last === 'abort' || last === 'error' ? last : undefined;
  }
}

export function textOf({ parts }: Pick<UIMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}
