import type { ChannelMessages, ChannelOptions } from '@halyard/client';
import { currentCredential } from '../access/credential.ts';
import { consoleClient } from '../api/client.ts';

export type ChannelState = 'connecting' | 'open' | 'lost';

/**
 * Reads a channel, which connects again by itself. When it is `open` after it was `lost`, read from
 * the API what happened in between.
 *
 * @returns a function that closes the channel.
 */
export function followChannel<Path extends keyof ChannelMessages>(
  path: Path,
  {
    onMessage,
    onState,
    query,
  }: Required<Pick<ChannelOptions, 'query'>> & {
    readonly onMessage: (message: ChannelMessages[Path]) => void;
    readonly onState: (state: ChannelState) => void;
  },
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const read = async (): Promise<void> => {
    const messages = consoleClient.channel(path, {
      // Without a key or a token, the bypass of development is tried.
      query: { ...query, ...(currentCredential() === undefined && { dev: 'true' }) },
      signal,
      onOpen: () => onState('open'),
      onLost: () => onState('lost'),
    });
    for await (const message of messages) onMessage(message);
  };
  onState('connecting');
  read().catch(() => {
    if (!signal.aborted) onState('lost');
  });
  return () => abort.abort();
}
