import type { ExecutionStore } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';

/** How many keys a sweep looks at. */
const keysPerSweep = 100;

interface AdmissionsOptions {
  readonly store: ExecutionStore;
  readonly services: AgentServices;
  /** Executions have become due. */
  readonly onAdmitted: () => void;
}

/**
 * Admits executions that wait because of their `concurrency`.
 *
 * The process that releases an execution admits the next one with its key. Sweeps admit those that no process has admitted, because it died or the
 * storage was down.
 */
export class Admissions {
  readonly #options: AdmissionsOptions;
  #freed = new Set<string>();
  #isAdmitting = false;
  /** The last key that a sweep has looked at. */
  #swept = '';

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /** An execution with this key was released. Keys that are freed during a call of the store share the next one. Never rejects. */
  async freed(key: string): Promise<void> {
    this.#freed.add(key);
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    while (this.#freed.size > 0) {
      const keys = [...this.#freed];
      this.#freed = new Set();
      await this.#admit(keys);
    }
    this.#isAdmitting = false;
  }

  /** Looks at some keys for which executions wait, and at others the next time. Never rejects. */
  async sweep(): Promise<void> {
    const { services, store } = this.#options;
    try {
      const keys = await store.waitingKeys(this.#swept, keysPerSweep);
      this.#swept = keys.length < keysPerSweep ? '' : (keys.at(-1) ?? '');
      if (keys.length > 0) await this.#admit(keys);
    } catch (error) {
      services.logger.warn({ err: error }, 'waiting executions could not be read from the storage');
    }
  }

  async #admit(keys: readonly string[]): Promise<void> {
    const { onAdmitted, services, store } = this.#options;
    try {
      if ((await store.admit(keys)).length > 0) onAdmitted();
    } catch (error) {
      services.logger.warn({ err: error }, 'waiting executions could not be admitted; a sweep tries again');
    }
  }
}
