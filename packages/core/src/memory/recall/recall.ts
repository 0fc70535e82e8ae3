import type { Logger, Message, Owner, StoredMessage, VectorMatch, VectorStore } from '@halyard/contracts';
import { isoTime } from '../../json/iso-time.ts';
import { loggedRunError } from '../../model/providers/provider-failure.ts';
import type { RecallSettings } from '../memory-options.ts';
import type { Embedder } from './embedder.ts';

export interface RecallRequest {
  /** The new input of the user. */
  readonly text: string;
  readonly conversationId: string;
  readonly userId: string;
  /** The stored messages that are part of the prompt anyway, oldest first. */
  readonly window: readonly StoredMessage[];
  /** Whether the conversation may have messages before the window. */
  readonly hasOlder: boolean;
  /**
   * More messages of the conversation that must not be recalled: those that the run writes itself.
   */
  readonly exclude?: readonly string[];
  /** The settings of the memory with those of the request. */
  readonly settings: RecallSettings;
  readonly logger: Logger;
}

export interface RecallServices {
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
}

/**
 * The window with the recalled messages, as messages of the user. A failure is logged, and the
 * window is returned as it is.
 */
export async function recall(
  owner: Owner,
  request: RecallRequest,
  services: RecallServices,
): Promise<readonly Message[]> {
  const { settings, text, window } = request;
  if (!settings.enabled || settings.semanticLimit === 0 || text.trim() === '') return window;
  if (settings.scope === 'conversation' && !request.hasOlder) return window;

  try {
    const matches = await findMatches(owner, request, services);
    return merge(window, matches.toSorted(byTime), request);
  } catch (error) {
    const fields = { ...loggedRunError(error), conversationId: request.conversationId };
    request.logger.warn(fields, 'nothing could be recalled');
    return window;
  }
}

async function findMatches(
  owner: Owner,
  { conversationId, exclude = [], settings, text, userId, window }: RecallRequest,
  { embedder, vectors }: RecallServices,
): Promise<readonly VectorMatch[]> {
  const known = new Set([...window.map(({ id }) => id), ...exclude]);
  const matches = await vectors.search(owner, {
    embedding: await embedder.embedQuery(text, userId),
    userId,
    ...(settings.scope === 'conversation' && { conversationId }),
    // The best matches may be messages of the window.
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
  const recalled = (some: readonly VectorMatch[]): readonly Message[] =>
    some.length === 0 ? [] : [toMessage(some, conversationId)];
  switch (mergeStrategy) {
    case 'append':
      return [...window, ...recalled(matches)];
    case 'prepend':
      return [...recalled(matches), ...window];
    case 'interleave':
      return [
        ...window.flatMap((message, index) => {
          const after = window[index - 1]?.createdAt ?? -Infinity;
          return [
            ...recalled(matches.filter(({ createdAt }) => createdAt >= after && createdAt < message.createdAt)),
            message,
          ];
        }),
        ...recalled(matches.filter(({ createdAt }) => createdAt >= (window.at(-1)?.createdAt ?? -Infinity))),
      ];
    default:
      return mergeStrategy satisfies never;
  }
}

/**
 * One message of the user: with their own roles, the model would take the matches for a part of the
 * dialogue and reply them again.
 */
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
