import type { RunResult } from '@halyard/core';
import type { Api, StreamEvent } from './api.ts';
import type { Order, Receipt } from './schemas.ts';

/** Where an order stands, as far as its customer knows. */
export interface OrderSoFar {
  readonly executionId: string;
  /** Number of the last event that came. */
  readonly lastEventId: number;
  readonly status: RunResult['status'];
  readonly receipt: Receipt | null;
}

/** Places orders and follows them. */
export class Customer {
  readonly #api: Api;
  readonly #watch: (event: StreamEvent) => void;

  /** @param watch is told each event. */
  constructor(api: Api, watch: (event: StreamEvent) => void) {
    this.#api = api;
    this.#watch = watch;
  }

  /** Places an order and watches until it is done, or waits for somebody. */
  async order(order: Order): Promise<OrderSoFar> {
    const input = { input: order, options: { userId: order.customer.toLowerCase() } };
    return this.#follow(this.#api.postStream('/workflows/order/stream', input), 0);
  }

  /** Comes back: what happened meanwhile is told first. */
  async comeBack({ executionId, lastEventId }: OrderSoFar): Promise<OrderSoFar> {
    const path = `/workflows/order/executions/${executionId}/stream`;
    return this.#follow(this.#api.attach(path, lastEventId), lastEventId);
  }

  async #follow(events: AsyncIterable<StreamEvent>, after: number): Promise<OrderSoFar> {
    let lastEventId = after;
    let last: StreamEvent | undefined;
    for await (const event of events) {
      this.#watch(event);
      lastEventId = event.seq ?? lastEventId;
      if (event.type === 'workflow-result') last = event;
    }
    if (last === undefined) throw new Error('the stream ended without a result');
    const { executionId, result, status } = last as StreamEvent & Pick<RunResult<Receipt>, 'result' | 'status'>;
    return { executionId, lastEventId, status, receipt: result };
  }
}
