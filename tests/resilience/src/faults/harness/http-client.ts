import { setTimeout as delay } from 'node:timers/promises';
import type { Replica } from './replica-process.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly code: string | undefined;
  /** Which replica answered. */
  readonly replica: number;
  /** How many attempts failed before. One of them may have had an effect. */
  readonly tries: number;
}

/** An event as a client received it. */
export interface SeenEvent {
  readonly seq: number;
  readonly type: string;
  /** The data of the frame. */
  readonly text: string;
}

export interface AskOptions {
  readonly body?: unknown;
  /**
   * Sends the request to this replica only. Default: to a random one, and to another one if that
   * fails.
   */
  readonly replica?: Replica;
  /** Default: 60 000. */
  readonly patienceMs?: number;
  /** Whether to return a response below 500. If not, the request is repeated. */
  readonly isFinal?: (answer: Answer) => boolean;
}

/** Sends requests to random replicas, and repeats those that fail or return 5xx. */
export class HttpClient {
  readonly #replicas: readonly Replica[];
  readonly #random: SeededRandom;

  constructor(replicas: readonly Replica[], random: SeededRandom) {
    this.#replicas = replicas;
    this.#random = random;
  }

  any(): Replica {
    const listening = this.#replicas.filter(({ isListening }) => isListening);
    return this.#random.pick(listening.length === 0 ? this.#replicas : listening);
  }

  /**
   * `GET`, or `POST` when there is a body. Rejects when no replica has answered within
   * `patienceMs`.
   */
  async ask(
    path: string,
    { body, isFinal = () => true, patienceMs = 180_000, replica }: AskOptions = {},
  ): Promise<Answer> {
    const until = performance.now() + patienceMs;
    let last: unknown;
    for (let tries = 0; performance.now() < until; tries += 1) {
      try {
        const answer = await this.once(path, { body, replica: replica ?? this.any(), tries });
        if (answer.status < 500 && isFinal(answer)) return answer;
        last = answer;
      } catch (error) {
        last = error;
      }
      await delay(50 + this.#random.next() * 100);
    }
    throw new Error(`${path}: no response for ${patienceMs} ms; last: ${describe(last)}`);
  }

  /** One request to one replica, without retries. */
  async once(
    path: string,
    { body, replica, tries = 0 }: { readonly body?: unknown; readonly replica: Replica; readonly tries?: number },
  ): Promise<Answer> {
    const response = await fetch(`${replica.origin}${path}`, {
      signal: AbortSignal.timeout(6_000),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const parsed = (await response.json()) as { readonly data?: unknown };
    const code = response.headers.get('x-error-code') ?? undefined;
    return { status: response.status, data: parsed.data, code, replica: replica.index, tries };
  }

  /**
   * The events of an execution after `after` from one connection to one replica. Ends with the
   * stream, and throws when the connection breaks.
   */
  async *events(
    path: string,
    { after, replica, signal }: { readonly after: number; readonly replica: Replica; readonly signal: AbortSignal },
  ): AsyncGenerator<SeenEvent, void, undefined> {
    const response = await fetch(`${replica.origin}${path}`, {
      signal,
      headers: after === 0 ? {} : { 'last-event-id': String(after) },
    });
    if (response.status !== 200 || response.body === null) throw new Error(`${path}: ${response.status}`);
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + chunk).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const seen = eventIn(frame);
        if (seen !== undefined) yield seen;
      }
    }
  }
}

/** Undefined for comments and for events without a number. */
function eventIn(frame: string): SeenEvent | undefined {
  const text = /^data: (.*)$/m.exec(frame)?.[1];
  if (text === undefined) return undefined;
  const { error, seq, type } = JSON.parse(text) as { readonly error?: string; readonly seq?: number; type: string };
  if (type === 'error') throw new Error(`the stream ended with an error: ${error}`);
  return seq === undefined ? undefined : { seq, type, text };
}

function describe(last: unknown): string {
  if (last instanceof Error) return `${last.message} ${last.cause instanceof Error ? last.cause.message : ''}`;
  return JSON.stringify(last);
}
