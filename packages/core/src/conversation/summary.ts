import type { ConversationStore, Message, Owner, StoredMessage } from '@halyard/contracts';
import { isoTime } from '../json/iso-time.ts';
import { defaultMemoryLimits } from '../memory/memory-options.ts';

/** The description of a summary in its metadata, as `metadata.summary`. */
export interface SummaryMetadata {
  /** The time of the last message that it replaces. */
  readonly until: string;
  /** How many messages it replaces, with those of the summary before it. */
  readonly messages: number;
}

/**
 * A message that replaces older messages in prompts, the first of which may be a summary itself.
 * Its role is `system`, so that it is no question and no reply of the conversation. It names a
 * time, not a message: messages can be deleted, and copies have other ids.
 */
export function summaryMessage(id: string, text: string, replaced: readonly StoredMessage[]): Message {
  const times = replaced.map((message) => (isSummary(message) ? summarizedUntil(message) : message.createdAt));
  const counts = replaced.map(({ metadata }) => readSummary(metadata)?.messages ?? 1);
  const summary: SummaryMetadata = {
    until: isoTime(Math.max(...times)),
    messages: counts.reduce((sum, count) => sum + count, 0),
  };
  return { id, role: 'system', parts: [{ type: 'text', text }], metadata: { summary } };
}

export function isSummary({ metadata, role }: { readonly role: string; readonly metadata?: unknown }): boolean {
  return role === 'system' && readSummary(metadata) !== undefined;
}

/**
 * The time of the last message that a summary replaces. A client can write the metadata: a summary
 * replaces only older messages than itself.
 */
export function summarizedUntil({ createdAt, metadata }: StoredMessage): number {
  return Math.min(Date.parse(readSummary(metadata)?.until ?? ''), createdAt - 1);
}

export function summaryText({ parts }: Message): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function readSummary(metadata: unknown): SummaryMetadata | undefined {
  if (typeof metadata !== 'object' || metadata === null || !('summary' in metadata)) return undefined;
  const { summary } = metadata;
  if (typeof summary !== 'object' || summary === null || !('until' in summary) || !('messages' in summary))
    return undefined;
  const { messages, until } = summary;
  if (typeof until !== 'string' || Number.isNaN(Date.parse(until))) return undefined;
  return Number.isInteger(messages) && typeof messages === 'number' ? { until, messages } : undefined;
}

const pageSize = 20;

/** Where a message is in its conversation. */
export type MessagePlace = Pick<StoredMessage, 'role' | 'createdAt'>;

/**
 * The ids of the summaries that repeat one of these messages, which are about to be deleted or
 * changed. Without these summaries, prompts have the one before them, and the messages after it.
 */
export async function findRepeatingSummaries(
  conversations: ConversationStore,
  owner: Owner,
  conversationId: string,
  messages: readonly MessagePlace[],
): Promise<readonly string[]> {
  const repeated = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  if (repeated.length === 0) return [];

  const first = Math.min(...repeated.map(({ createdAt }) => createdAt));
  const ids: string[] = [];
  let before: number | undefined;
  do {
    const filter = {
      limit: pageSize,
      maxBytes: defaultMemoryLimits.pageBytes,
      roles: ['system'],
      after: first,
      ...(before !== undefined && { before }),
    } as const;
    const page = await conversations.messages(owner, conversationId, filter);
    const summaries = page?.messages.filter((one) => isSummary(one) && summarizedUntil(one) >= first) ?? [];
    ids.push(...summaries.map(({ id }) => id));
    before = page?.hasMore === true ? page.messages[0]?.createdAt : undefined;
  } while (before !== undefined);
  return ids;
}
