import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from './harness/http-client.ts';
import type { Replica } from './harness/replica-process.ts';
import { waitUntil } from './harness/wait-until.ts';
import { resumeData } from './workflows.ts';

const input = { n: 1, ms: 10 };

/**
 * A client that rewinds an execution of `approval` to its first step whenever it waits for
 * approval.
 */
export class Rewinder {
  readonly #id: string;
  readonly #client: HttpClient;
  /** Whether a request to rewind is on the way. */
  isRewinding = false;
  /** How many rewinds were answered with success. */
  rewound = 0;

  /** @param client for all requests but those that rewind. */
  constructor(id: string, client: HttpClient) {
    this.#id = id;
    this.#client = client;
  }

  async start(): Promise<void> {
    await this.#client.ask('/workflows/approval/execute', { body: { input, options: { executionId: this.#id } } });
    await waitUntil(async () => (await this.#state()).status === 'suspended', `${this.#id} waited for approval`);
  }

  async rewindOn(replica: Replica, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.isRewinding = true;
      // Fails while the replica is paused, and when the execution does not wait.
      const answer = await this.#client
        .once(`${this.#path}/resume`, { body: { options: { stepId: 'price' } }, replica })
        .catch(() => {});
      this.isRewinding = false;
      if (answer?.status === 200) this.rewound += 1;
      await delay(20);
    }
  }

  /** Approves. @returns problems. */
  async end(): Promise<readonly string[]> {
    await waitUntil(async () => (await this.#state()).status === 'suspended', `${this.#id} waited for approval again`);
    await this.#client.ask(`${this.#path}/resume`, { body: { resumeData } });
    await waitUntil(async () => (await this.#state()).status !== 'running', `${this.#id} ended`);
    const { output, status } = await this.#state();
    const expected = input.n + resumeData.by + 2;
    return status === 'completed' && output === expected ? [] : [`${this.#id} is ${status} with ${String(output)}`];
  }

  get #path(): string {
    return `/workflows/approval/executions/${this.#id}`;
  }

  async #state(): Promise<{ readonly status: string; readonly output?: unknown }> {
    const { data } = await this.#client.ask(this.#path);
    return data as { readonly status: string; readonly output?: unknown };
  }
}
