import type { Owner, SpanRecord, StoredMessage, TelemetryStore } from '@halyard/contracts';

interface Reply {
  readonly agentId: string;
  readonly message: Pick<StoredMessage, 'createdAt' | 'id'>;
  /** Of the conversation; undefined for the anonymous user, whose runs have none. */
  readonly userId: string | undefined;
}

const pageSize = 20;
const searchedRuns = 200;
/** How much the clocks of the store and of a server may differ, in milliseconds. */
const clockSkewMs = 60_000;

/**
 * The recorded run that wrote a reply: the last of several. It is looked for among the newest runs
 * of the user with the agent, then among those from when the reply was written.
 */
export async function findRunOfReply(
  store: TelemetryStore,
  owner: Owner,
  { agentId, message, userId }: Reply,
  maxBytes: number,
): Promise<SpanRecord | undefined> {
  const filter = { entityType: 'agent', entityId: agentId, userId, limit: pageSize, maxBytes } as const;
  const wrote = ({ attributes }: SpanRecord): boolean => attributes['halyard.message.id'] === message.id;
  const { spans: newest } = await store.listSpans(owner, { ...filter, offset: 0 });
  const latest = newest.find(wrote);
  if (latest !== undefined) return latest;
  const to = message.createdAt + clockSkewMs;
  for (let offset = 0; offset < searchedRuns;) {
    const { spans } = await store.listSpans(owner, { ...filter, to, offset });
    const found = spans.find(wrote);
    if (found !== undefined || spans.length === 0) return found;
    offset += spans.length;
  }
  return undefined;
}
