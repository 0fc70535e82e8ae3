import type { SpanRecord } from '@halyard/contracts';

/** The root entity and the users of a trace, for the filters of watchers. */
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

  /** Adds an entry, which may belong to another user. */
  add({ attributes }: SpanRecord): void {
    const user = attributes['user.id'];
    if (user !== undefined) this.users.add(user);
  }
}
