import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';

const retryMs = 100;

/**
 * A client of a durable answer. It reconnects while its connections break, and reads the
 * conversation when the answer has ended.
 */
export class ReplyReader {
  readonly conversationId: string;
  /** The message that it shows in the end. */
  message: UIMessage | undefined;
  /** How many connections broke. */
  breaks = 0;
  /** Problems that no disturbance explains. */
  readonly problems: string[] = [];
  /** Whether it has read the last answer to its end from a stream. */
  hasStreamed = false;
  readonly #client: HttpClient;

  constructor(conversationId: string, client: HttpClient) {
    this.conversationId = conversationId;
    this.#client = client;
  }

  /** Asks, and reads until the answer has ended. */
  async read(until: number): Promise<void> {
    let asks = true;
    while (performance.now() < until) {
      try {
        const stream = await (asks ? this.#ask(this.#client.any()) : this.#reconnect(this.#client.any()));
        asks = false;
        if (stream === null) {
          const stored = await this.stored();
          // The question may not have arrived, or its answer waits for a replica.
          if (stored === undefined) asks = true;
          else if (isWhole(stored)) {
            this.message = stored;
            return;
          }
        } else if ((await this.#follow(stream)) === 'finish') {
          this.hasStreamed = true;
          return;
        }
      } catch {
        // The connection broke, or the replica is down.
        this.breaks += 1;
        asks = false;
      }
      await delay(retryMs);
    }
    this.problems.push(`the answer of ${this.conversationId} did not end`);
  }

  /** The stored answer. */
  async stored(): Promise<UIMessage | undefined> {
    const id = this.conversationId;
    const { data, status } = await this.#client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`);
    if (status !== 200) return undefined;
    const { messages } = data as { readonly messages: readonly UIMessage[] };
    const answers = messages.filter(({ role }) => role === 'assistant');
    if (answers.length > 1) this.problems.push(`${id} has ${answers.length} answers`);
    return answers.at(-1);
  }

  #transport({ origin }: Replica): DefaultChatTransport<UIMessage> {
    return new DefaultChatTransport({
      api: `${origin}/agents/researcher/chat`,
      body: { options: { userId: `of-${this.conversationId}` } },
    });
  }

  #ask(replica: Replica): Promise<ReadableStream<UIMessageChunk>> {
    return this.#transport(replica).sendMessages({
      trigger: 'submit-message',
      chatId: this.conversationId,
      messageId: undefined,
      messages: [{ id: `asks-${this.conversationId}`, role: 'user', parts: [{ type: 'text', text: 'Find out' }] }],
      abortSignal: undefined,
    });
  }

  #reconnect(replica: Replica): Promise<ReadableStream<UIMessageChunk> | null> {
    return this.#transport(replica).reconnectToStream({ chatId: this.conversationId });
  }

  /** The type of the last chunk. */
  async #follow(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk['type'] | undefined> {
    const [shown, counted] = stream.tee();
    let last: UIMessageChunk | undefined;
    const received: string[] = [];
    const counting = counted.pipeTo(
      new WritableStream({
        write: (chunk) => {
          last = chunk;
          received.push(JSON.stringify(chunk));
        },
      }),
    );
    counting.catch(() => {});
    let failure: unknown;
    const onError = (error: unknown): void => {
      failure ??= error;
    };
    for await (const message of readUIMessageStream({ stream: shown, onError })) this.message = message;
    await counting;
    if (failure !== undefined && last?.type !== 'error')
      this.problems.push(`${this.conversationId} could not show its answer: ${inspect(failure)} ${received.join(' ')}`);
    if (last?.type === 'error') this.problems.push(`${this.conversationId} got the error ${last.errorText}`);
    return last?.type;
  }
}

/** Whether the last part of a stored answer is the text after the last call. */
function isWhole({ parts }: UIMessage): boolean {
  return parts.filter(({ type }) => type === 'step-start').length === 4 && parts.at(-1)?.type === 'text';
}
