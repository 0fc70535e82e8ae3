import type { EventBroker } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';

/** How many events a call of the store delivers. */
const deliveryLimit = 20;

interface EventDeliveriesOptions {
  readonly store: EventBroker;
  readonly services: AgentServices;
}

/**
 * Delivers events whose publishers stopped before they had reached all executions.
 *
 * Apart from the sweeps that read due executions: a delivery may take long, or fail each time, and
 * no timer of an execution waits for it.
 */
export class EventDeliveries {
  readonly #options: EventDeliveriesOptions;
  #isDelivering = false;

  constructor(options: EventDeliveriesOptions) {
    this.#options = options;
  }

  /**
   * Does nothing while an earlier call delivers. Never rejects. @returns whether executions have
   * received events: these are due.
   */
  async deliver(): Promise<boolean> {
    if (this.#isDelivering) return false;
    const { services, store } = this.#options;
    this.#isDelivering = true;
    try {
      return (await store.deliverPending(deliveryLimit)).length > 0;
    } catch (error) {
      services.logger.warn({ err: error }, 'events could not be delivered; they are delivered later');
      return false;
    } finally {
      this.#isDelivering = false;
    }
  }
}
