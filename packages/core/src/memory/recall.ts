import type { Logger, Message, Owner, StoredMessage, VectorMatch, VectorStore } from '@halyard/contracts';
import { isoTime } from '../services/iso-time.ts';
import type { Embedder } from './embedder.ts';
import type { RecallSettings } from './memory-settings.ts';

/** What a run wants to be reminded of. */
export interface RecallRequest {
  /** What the user says now. */
  readonly text: string;
  readonly conversationId: string;
  readonly userId: string;
  /** The stored messages that the run sees anyway, oldest first. */
  readonly window: readonly StoredMessage[];
  /** Whether the conversation may have messages before the window. */
  readonly hasOlder: boolean;
  /** Messages of the conversation that must not be recalled, beside those of the window: what the run writes itself. */
  readonly exclude?: readonly string[];
  /** The memory's, with what the request says. */
  readonly settings: RecallSettings;
  readonly logger: Logger;
}

/** What recalls. */
export interface RecallMeans {
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
}

/** The window, with what is recalled in its place as notes of the user's side. What fails is logged: the window is then what it was. */
export async function recall(owner: Owner, request: RecallRequest, means: RecallMeans): Promise<readonly Message[]> {
  const { settings, text, window } = request;
  if (!settings.enabled || settings.semanticLimit === 0 || text.trim() === '') return window;
  if (settings.scope === 'conversation' && !request.hasOlder) return window;

  try {
    const matches = await findMatches(owner, request, means);
    return merge(window, matches.toSorted(byTime), request);
  } catch (error) {
    request.logger.warn({ err: error, conversationId: request.conversationId }, 'nothing could be recalled');
    return window;
  }
}

async function findMatches(
  owner: Owner,
  { conversationId, exclude = [], settings, text, userId, window }: RecallRequest,
  { embedder, vectors }: RecallMeans,
): Promise<readonly VectorMatch[]> {
  const known = new Set([...window.map(({ id }) => id), ...exclude]);
  const matches = await vectors.search(owner, {
    embedding: await embedder.embedQuery(text),
    userId,
    ...(settings.scope === 'conversation' && { conversationId }),
    // What is known already may be the nearest of all.
    limit: settings.semanticLimit + known.size,
    threshold: settings.semanticThreshold,
  });
  return matches
    .filter((match) => match.conversationId !== conversationId || !known.has(match.messageId))
    .slice(0, settings.semanticLimit);
}

function merge(
  window: readonly StoredMessage[],
  matches: readonly VectorMatch[],
  { conversationId, settings: { mergeStrategy } }: RecallRequest,
): readonly Message[] {
  const told = (some: readonly VectorMatch[]): readonly Message[] =>
    some.length === 0 ? [] : [toMessage(some, conversationId)];
  switch (mergeStrategy) {
    case 'append':
      return [...window, ...told(matches)];
    case 'prepend':
      return [...told(matches), ...window];
    case 'interleave':
      return [
        ...window.flatMap((message, index) => {
          const after = window[index - 1]?.createdAt ?? -Infinity;
          return [
            ...told(matches.filter(({ createdAt }) => createdAt >= after && createdAt < message.createdAt)),
            message,
          ];
        }),
        ...told(matches.filter(({ createdAt }) => createdAt >= (window.at(-1)?.createdAt ?? -Infinity))),
      ];
    default:
      return mergeStrategy satisfies never;
  }
}

/** As a note from outside: with their own roles, the model would take them for what was just said, and answer again. */
function toMessage(matches: readonly VectorMatch[], conversationId: string): Message {
  const lines = matches.map((match) => {
    const where = match.conversationId === conversationId ? '' : ', in another conversation';
    return `[${isoTime(match.createdAt)}, ${match.role}${where}] ${match.text}`;
  });
  const text = ['Recalled from earlier messages, because it may matter now (answer what comes after it):', ...lines];
  return {
    id: `recalled-${matches[0]?.messageId ?? ''}`,
    role: 'user',
    parts: [{ type: 'text', text: text.join('\n') }],
  };
}

function byTime(one: VectorMatch, other: VectorMatch): number {
  return one.createdAt - other.createdAt;
}
