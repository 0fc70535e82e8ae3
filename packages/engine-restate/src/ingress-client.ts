import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError, HalyardError, monotonicTime, systemClock, UnavailableError } from '@halyard/contracts';
import type { HandlerName, InputOf, ObjectName, OutputOf } from './objects/calls.ts';
import { toKey } from './objects/object-key.ts';
import { names } from './objects/protocol.ts';

/** How long calls are repeated while Restate does not answer: a failover takes a few seconds. */
const patienceMs = 20_000;
/** A handler whose worker was killed is run again elsewhere within this time. */
const answerMs = 30_000;
const longestPauseMs = 1_000;

/** Calls the objects of the engine. Each handler can be called twice without harm. */
export class IngressClient {
  readonly #url: string;

  /** @throws ConfigurationError */
  constructor(ingress: string) {
    if (!URL.canParse(ingress)) throw new ConfigurationError(`The option \`ingress\` must be a URL, not ${ingress}`);
    this.#url = ingress.replace(/\/$/, '');
  }

  /**
   * @param callId for a handler that must run once: a repeated call with the same id returns the
   * same.
   * @throws UnavailableError, HalyardError for a call that Restate or the handler refuses.
   */
  async call<Name extends ObjectName, Method extends HandlerName<Name>>(
    name: Name,
    key: string,
    method: Method,
    input: InputOf<Name, Method>,
    callId?: string,
  ): Promise<OutputOf<Name, Method>> {
    const url = `${this.#url}/${names[name]}/${encodeURIComponent(toKey(key))}/${method}`;
    const request = {
      method: 'POST',
      headers: {
        ...(input !== undefined && { 'content-type': 'application/json' }),
        ...(callId !== undefined && { 'idempotency-key': callId }),
      },
      ...(input !== undefined && { body: JSON.stringify(input) }),
    };
    const startedAt = monotonicTime(systemClock);
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const answer = await this.#send(url, request);
      if (answer instanceof Response) return (await readAnswer(answer)) as OutputOf<Name, Method>;
      if (monotonicTime(systemClock) - startedAt + pauseMs > patienceMs)
        throw new UnavailableError('ENGINE_UNAVAILABLE', 'The engine that runs executions does not answer', {
          cause: answer,
        });
      await delay(pauseMs);
    }
  }

  /** @returns why it should be sent again, if it should. */
  async #send(url: string, request: RequestInit): Promise<Response | Error> {
    try {
      const response = await fetch(url, { ...request, signal: AbortSignal.timeout(answerMs) });
      if (!isTemporary(response.status)) return response;
      return new Error(`Restate answered ${response.status}: ${await response.text()}`);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** 404: no worker is registered yet, or its registration has not reached the node. */
function isTemporary(status: number): boolean {
  return status === 404 || status === 408 || status === 429 || (status > 500 && status < 600);
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok) return text === '' ? undefined : JSON.parse(text);
  const message = messageOf(text);
  if (response.status === 413)
    throw new HalyardError(
      'invalid-input',
      'VALUE_TOO_LARGE',
      `Restate refuses a message of this size (worker.invoker.message-size-limit): ${message}`,
    );
  throw new HalyardError('internal', 'INTERNAL', `The engine refused a call (${response.status}): ${message}`);
}

function messageOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message);
  } catch {
    // Not JSON.
  }
  return text;
}
