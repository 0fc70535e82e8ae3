import type { AuditFilter, AuditLog, AuditOutcome, AuditRecord, AuditTarget, NewAuditRecord } from '@halyard/contracts';
import { frozenCopy } from './frozen-copy.ts';

export interface InMemoryAuditLogOptions {
  /** How many records are stored. Beyond that, the first are deleted. Default: 20 000. */
  readonly maxRecords?: number | undefined;
}

/** The audit trail of one process. */
export class InMemoryAuditLog implements AuditLog {
  readonly #records = new Map<string, AuditRecord>();
  readonly #maxRecords: number;

  constructor({ maxRecords = 20_000 }: InMemoryAuditLogOptions = {}) {
    this.#maxRecords = maxRecords;
  }

  async append(record: NewAuditRecord): Promise<void> {
    if (this.#records.has(record.id)) return;
    this.#records.set(record.id, frozenCopy({ ...record, outcome: null }));
    for (const id of this.#records.keys()) {
      if (this.#records.size <= this.#maxRecords) break;
      this.#records.delete(id);
    }
  }

  async settle(id: string, outcome: AuditOutcome): Promise<void> {
    const record = this.#records.get(id);
    if (record?.outcome === null) this.#records.set(id, frozenCopy({ ...record, outcome }));
  }

  async list({
    action,
    actor,
    after,
    from = -Infinity,
    limit,
    target,
    to = Infinity,
  }: AuditFilter): Promise<readonly AuditRecord[]> {
    return [...this.#records.values()]
      .filter(
        (record) =>
          record.at >= from &&
          record.at < to &&
          (after === undefined || record.id < after) &&
          (actor === undefined || record.actor.userId === actor) &&
          (action === undefined || record.action === action) &&
          (target === undefined ||
            Object.values<AuditTarget[keyof AuditTarget]>({ ...record.target }).includes(target)),
      )
      .toSorted((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, limit);
  }

  async purge(before: number, limit: number): Promise<number> {
    const old = [...this.#records.values()]
      .filter(({ at }) => at < before)
      .toSorted((one, other) => one.at - other.at)
      .slice(0, limit);
    for (const { id } of old) this.#records.delete(id);
    return old.length;
  }
}
