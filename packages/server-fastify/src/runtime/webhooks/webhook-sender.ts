import type { Clock, Logger, TakenWebhook, WebhookResult, WebhookStore } from '@halyard/contracts';
import { type AddressCheck, checkedRequest, finishesWithin, isoTime } from '@halyard/core/server';
import { readRetryAfter, retryInMs } from './retry-schedule.ts';
import { signWebhook } from './standard-webhooks.ts';
import type { WebhookEndpointConfig } from './webhook-options.ts';

/** How many deliveries of one endpoint a server sends at the same time. */
const batchSize = 8;
/** How long a receiver may take to reply. */
const replyMs = 15_000;
/** After that, another server sends what this one has taken: it must have ended. */
const leaseMs = 60_000;
const hourMs = 3_600_000;
/** How long events are stored for an endpoint after its last server has ended. */
const listenMs = 24 * hourMs;

interface WebhookSenderServices {
  readonly store: WebhookStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
  readonly lookup?: AddressCheck['lookup'];
  /** How long to wait before it looks for what is due. Default: 1 s. */
  readonly pollMs?: number;
}

/**
 * Sends the stored events to their endpoints, at least once each. An endpoint that is slow delays no
 * other.
 */
export class WebhookSender {
  readonly #services: WebhookSenderServices;
  readonly #endpoints: readonly WebhookEndpointConfig[];
  readonly #aborted = new AbortController();
  #isStopped = false;
  #endPauses = new Set<() => void>();
  #work: readonly Promise<void>[] = [];

  constructor(endpoints: readonly WebhookEndpointConfig[], services: WebhookSenderServices) {
    this.#endpoints = endpoints;
    this.#services = services;
  }

  /** Resolves when events are stored for the endpoints. A storage that fails is tried again in the background. */
  async start(): Promise<void> {
    const listening = await Promise.all(this.#endpoints.map((endpoint) => this.#listen(endpoint)));
    this.#work = this.#endpoints.map((endpoint, index) => this.#serve(endpoint, listening[index] === true));
  }

  /** Waits for the requests on their way. Other servers send the remaining ones. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#endPauses) end();
    const work = Promise.all(this.#work);
    if (!(await finishesWithin(work, graceMs))) this.#aborted.abort();
    await work;
  }

  async #serve(endpoint: WebhookEndpointConfig, isListening: boolean): Promise<void> {
    const { clock } = this.#services;
    let listenAt = clock.now() + (isListening ? hourMs : 0);
    while (!this.#isStopped) {
      if (clock.now() >= listenAt && (await this.#listen(endpoint))) listenAt = clock.now() + hourMs;
      if ((await this.#sendDue(endpoint)) < batchSize) await this.#pause();
    }
  }

  /** @returns whether events are stored from now on. */
  async #listen({ events, url }: WebhookEndpointConfig): Promise<boolean> {
    const { logger, store } = this.#services;
    try {
      await store.listen({ url, events }, listenMs);
      return true;
    } catch (error) {
      logger.error({ err: error, url }, 'events for a webhook are not stored: trying again');
      return false;
    }
  }

  /** @returns how many were due. */
  async #sendDue(endpoint: WebhookEndpointConfig): Promise<number> {
    const { logger, store } = this.#services;
    try {
      const taken = await store.take(endpoint.url, batchSize, leaseMs);
      await Promise.all(taken.map((delivery) => this.#deliver(endpoint, delivery)));
      return taken.length;
    } catch (error) {
      logger.warn({ err: error, url: endpoint.url }, 'webhooks could not be read or settled: trying again');
      return 0;
    }
  }

  async #deliver(endpoint: WebhookEndpointConfig, delivery: TakenWebhook): Promise<void> {
    const { logger, store } = this.#services;
    const { isGone, ...result } = await this.#attempt(endpoint, delivery);
    // After the lease it is sent again.
    if (this.#aborted.signal.aborted && result.status !== 'delivered') return;
    await store.settle(delivery, result);
    if (isGone) await store.disable(endpoint.url);
    if (result.status === 'failed')
      logger.warn({ url: endpoint.url, webhookId: delivery.id, reason: result.error }, 'a webhook was not delivered');
  }

  async #attempt(
    endpoint: WebhookEndpointConfig,
    delivery: TakenWebhook,
  ): Promise<WebhookResult & { isGone: boolean }> {
    const { clock, random = Math.random } = this.#services;
    const reply = await this.#post(endpoint, delivery);
    const { error, retryAfter, status: replyStatus } = reply;
    if (error === undefined && replyStatus !== null && replyStatus >= 200 && replyStatus <= 299)
      return { status: 'delivered', replyStatus, isGone: false };
    const isGone = replyStatus === 410;
    const failure = { replyStatus, error: error ?? `Status ${String(replyStatus)}`, isGone };
    const dueInMs = retryInMs(delivery.tries, random(), readRetryAfter(retryAfter, clock.now()));
    return isGone || dueInMs === undefined
      ? { status: 'failed', ...failure }
      : { status: 'pending', dueInMs, ...failure };
  }

  async #post(endpoint: WebhookEndpointConfig, { at, data, id, type }: TakenWebhook): Promise<Reply> {
    const { clock, lookup } = this.#services;
    const body = JSON.stringify({ type, timestamp: isoTime(at), data });
    const seconds = Math.floor(clock.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'halyard',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signWebhook(endpoint.keys, id, seconds, body),
    };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), replyMs);
    try {
      const response = await checkedRequest(new URL(endpoint.url), {
        method: 'POST',
        headers,
        body,
        lookup,
        ...(endpoint.allowPrivateAddresses && { allowAddress: () => true }),
        signal: AbortSignal.any([limit.signal, this.#aborted.signal]),
      });
      if (response === undefined) return { status: null, error: 'Its address is not public' };
      const { headers: received, statusCode = 0 } = response;
      response.destroy();
      return { status: statusCode, retryAfter: received['retry-after'] };
    } catch (error) {
      return { status: null, error: limit.signal.aborted ? `No reply within ${replyMs / 1000} s` : describe(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #pause(): Promise<void> {
    if (this.#isStopped) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPauses.add(resolve);
    const timer = setTimeout(resolve, this.#services.pollMs ?? 1_000).unref();
    await promise;
    clearTimeout(timer);
    this.#endPauses.delete(resolve);
  }
}

interface Reply {
  /** Null without a reply. */
  readonly status: number | null;
  readonly error?: string;
  readonly retryAfter?: string | undefined;
}

/** Such as `ECONNREFUSED`. */
function describe(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message.slice(0, 200) : 'The request failed';
}
