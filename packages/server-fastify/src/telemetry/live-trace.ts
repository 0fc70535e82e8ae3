import type { SpanRecord } from '@halyard/contracts';

/** What is known of a trace while somebody listens: what it began with, and whose it is. */
export class LiveTrace {
  entityType: unknown;
  entityId: unknown;
  readonly users = new Set<unknown>();

  constructor(entries: readonly SpanRecord[]) {
    const [root] = entries.toSorted((a, b) => a.startTime - b.startTime);
    this.entityType = root?.attributes['entity.type'];
    this.entityId = root?.attributes['entity.id'];
    for (const entry of entries) this.add(entry);
  }

  /** Another stretch of it, perhaps for another user. */
  add({ attributes }: SpanRecord): void {
    const user = attributes['user.id'];
    if (user !== undefined) this.users.add(user);
  }
}
