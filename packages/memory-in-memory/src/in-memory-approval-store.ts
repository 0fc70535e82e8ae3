import { randomUUID } from 'node:crypto';
import type { ApprovalStore, Clock } from '@halyard/contracts';

/**
 * Used approvals of one process. Forgets an id once its approval has expired, so that their number
 * is bounded.
 */
export class InMemoryApprovalStore implements ApprovalStore {
  readonly lifeId: string = randomUUID();
  readonly #clock: Clock;
  readonly #expiries = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async consume(approvalId: string, expiresAt: number): Promise<boolean> {
    this.#forgetExpired();
    if (this.#expiries.has(approvalId)) return false;
    this.#expiries.set(approvalId, expiresAt);
    return true;
  }

  async purge(limit: number): Promise<number> {
    const now = this.#clock.now();
    let purged = 0;
    for (const [approvalId, expiresAt] of this.#expiries) {
      if (purged >= limit) break;
      if (expiresAt >= now) continue;
      this.#expiries.delete(approvalId);
      purged += 1;
    }
    return purged;
  }

  /** How many used approvals are stored. */
  get size(): number {
    return this.#expiries.size;
  }

  /**
   * Ids are stored in the order of their use, which is nearly the order of their expiry: each call
   * drops a few from the front.
   */
  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const [approvalId, expiresAt] of this.#expiries) {
      if (expiresAt >= now) return;
      this.#expiries.delete(approvalId);
    }
  }
}
