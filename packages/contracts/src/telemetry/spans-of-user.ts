/** Where a span is in its trace. */
export interface PlacedSpan {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  /** The `user.id` of an entry; null for an entry without one, and for all other spans. */
  readonly entryOf: string | null;
}

/**
 * The ids of the spans in a trace that belong to a user: each entry of the user, and the spans
 * below it down to entries of other users.
 */
export function spansOfUser(spans: Iterable<PlacedSpan>, userId: string): ReadonlySet<string> {
  const placed = new Map(Array.from(spans, (span) => [span.spanId, span]));
  const owners = new Map<string, string | null>();
  for (const { entryOf, spanId } of placed.values()) if (entryOf !== null) owners.set(spanId, entryOf);
  for (const spanId of placed.keys()) {
    const passed: string[] = [];
    let at: string | null | undefined = spanId;
    while (at !== null && at !== undefined && !owners.has(at)) {
      passed.push(at);
      // Until the owner is known. It also ends a circle, which spans of callers may form.
      owners.set(at, null);
      at = placed.get(at)?.parentSpanId;
    }
    const owner = at === null || at === undefined ? null : (owners.get(at) ?? null);
    for (const id of passed) owners.set(id, owner);
  }
  return new Set([...owners].flatMap(([spanId, owner]) => (owner === userId ? [spanId] : [])));
}
