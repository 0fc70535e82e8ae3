import type { RunResult } from '@halyard/core';
import type { Api, StreamEvent } from './api.ts';
import type { Order, Receipt } from './schemas.ts';

/** The state of an order that its customer has received. */
export interface OrderProgress {
  readonly executionId: string;
  /** The number of the last received event. */
  readonly lastEventId: number;
  readonly status: RunResult['status'];
  readonly receipt: Receipt | null;
}

/** Places orders and follows them. */
export class Customer {
  readonly #api: Api;
  readonly #onEvent: (event: StreamEvent) => void;

  /** @param onEvent is called with each event. */
  constructor(api: Api, onEvent: (event: StreamEvent) => void) {
    this.#api = api;
    this.#onEvent = onEvent;
  }

  /** Places an order and follows it until it is suspended or finished. */
  async order(order: Order): Promise<OrderProgress> {
    const input = { input: order, options: { userId: order.customer.toLowerCase() } };
    return this.#follow(this.#api.postStream('/workflows/order/stream', input), 0);
  }

  /** Reconnects to an order: missed events first, then live ones. */
  async reconnect({ executionId, lastEventId }: OrderProgress): Promise<OrderProgress> {
    const path = `/workflows/order/executions/${executionId}/stream`;
    return this.#follow(this.#api.attach(path, lastEventId), lastEventId);
  }

  async #follow(events: AsyncIterable<StreamEvent>, after: number): Promise<OrderProgress> {
    let lastEventId = after;
    let last: StreamEvent | undefined;
    for await (const event of events) {
      this.#onEvent(event);
      lastEventId = event.seq ?? lastEventId;
      if (event.type === 'workflow-result') last = event;
    }
    if (last === undefined) throw new Error('the stream ended without a result');
    const { executionId, result, status } = last as StreamEvent & Pick<RunResult<Receipt>, 'result' | 'status'>;
    return { executionId, lastEventId, status, receipt: result };
  }
}
