import { randomUUID } from 'node:crypto';
import {
  type ApprovalDecision,
  type ApprovalStore,
  approverKeys,
  type Clock,
  type DecideOptions,
  type OpenApproval,
  type SettledDecision,
  type WebhookData,
} from '@halyard/contracts';
import type { InMemoryWebhookStore } from './in-memory-webhook-store.ts';

/**
 * Used and open approvals of one process. Forgets an approval once it has expired, so that their
 * number is bounded.
 */
export class InMemoryApprovalStore implements ApprovalStore {
  readonly lifeId: string = randomUUID();
  readonly #clock: Clock;
  readonly #webhooks: InMemoryWebhookStore | undefined;
  readonly #used = new Map<string, { readonly expiresAt: number }>();
  readonly #open = new Map<string, OpenApproval>();
  readonly #decisions = new Map<string, DecidedApproval>();

  constructor(clock: Clock, webhooks?: InMemoryWebhookStore) {
    this.#clock = clock;
    this.#webhooks = webhooks;
  }

  async consume(approvalId: string, expiresAt: number, decision: SettledDecision = {}): Promise<boolean> {
    this.#forgetExpired();
    const closed = this.#open.get(approvalId);
    if (closed !== undefined && isCall(closed))
      this.#webhooks?.add('approval.settled', { ...idsOf(closed), outcome: 'answered', ...decision });
    this.#open.delete(approvalId);
    if (this.#used.has(approvalId)) return false;
    this.#used.set(approvalId, { expiresAt });
    return true;
  }

  async open(request: OpenApproval): Promise<void> {
    this.#forgetExpired();
    const { round = 0 } = request;
    const before = this.#open.get(request.id);
    if (round === 0 ? before !== undefined : before === undefined || (before.round ?? 0) >= round) return;
    this.#open.set(request.id, structuredClone(request));
    if (isCall(request)) this.#webhooks?.add('approval.requested', idsOf(request));
  }

  async find(approvalId: string): Promise<OpenApproval | undefined> {
    const request = this.#open.get(approvalId);
    return request !== undefined && request.expiresAt >= this.#clock.now() ? request : undefined;
  }

  async listOpen(keys: readonly string[], limit: number, offset = 0): Promise<readonly OpenApproval[]> {
    const now = this.#clock.now();
    return [...this.#open.values()]
      .filter(({ expiresAt, rules }) => expiresAt >= now && approverKeys(rules).some((key) => keys.includes(key)))
      .toSorted((one, other) => other.createdAt - one.createdAt)
      .slice(offset, offset + limit);
  }

  async decide(
    approvalId: string,
    decision: ApprovalDecision,
    { expiresAt, quorum, userId }: DecideOptions,
  ): Promise<readonly ApprovalDecision[]> {
    this.#forgetExpired();
    const { decisions } = this.#decisions.get(approvalId) ?? { decisions: [] };
    const isComplete = decisions.length >= quorum || decisions.some(({ approved }) => !approved);
    if (isComplete || decisions.some((one) => one.userId === decision.userId)) return decisions;
    const all = [...decisions, { ...decision }];
    this.#decisions.set(approvalId, { decisions: all, expiresAt, userId });
    return all;
  }

  async decisions(approvalId: string): Promise<readonly ApprovalDecision[]> {
    const decided = this.#decisions.get(approvalId);
    return decided !== undefined && decided.expiresAt >= this.#clock.now() ? decided.decisions : [];
  }

  async purge(limit: number): Promise<number> {
    let purged = 0;
    for (const entries of this.#expiring) {
      for (const [id, { expiresAt }] of entries) {
        if (purged >= limit) return purged;
        if (expiresAt >= this.#clock.now()) continue;
        entries.delete(id);
        purged += 1;
      }
    }
    return purged;
  }

  /** Deletes the requests of a user, and the decisions about them. */
  deleteUser(userId: string): void {
    for (const entries of [this.#open, this.#decisions])
      for (const [id, entry] of entries) if (entry.userId === userId) entries.delete(id);
  }

  /** How many used approvals are stored. */
  get size(): number {
    return this.#used.size;
  }

  get #expiring(): readonly Map<string, { readonly expiresAt: number }>[] {
    return [this.#used, this.#open, this.#decisions];
  }

  /**
   * Entries are stored in the order of their creation, which is nearly the order of their expiry:
   * each call drops a few from the front.
   */
  #forgetExpired(): void {
    const now = this.#clock.now();
    for (const entries of this.#expiring) {
      for (const [id, { expiresAt }] of entries) {
        if (expiresAt >= now) break;
        entries.delete(id);
      }
    }
  }
}

/** Whether a person is asked. */
function isCall({ delegation, grant }: OpenApproval): boolean {
  return delegation === undefined && grant === undefined;
}

function idsOf({ agentId, conversationId, id, userId }: OpenApproval): WebhookData {
  return { agentId, approvalId: id, conversationId, ...(userId !== undefined && { userId }) };
}

interface DecidedApproval {
  readonly decisions: readonly ApprovalDecision[];
  readonly expiresAt: number;
  /** The user of the run. */
  readonly userId: string | undefined;
}
