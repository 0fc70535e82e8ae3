import type { ChannelMessages } from '@halyard/client';
import { useEffect, useSyncExternalStore } from 'react';
import { isRestricted } from '../access/credential.ts';
import { type ChannelState, followChannel } from './follow-channel.ts';
import { PollChannel } from './poll-channel.ts';

/**
 * Of `/ws/observability?changes=true`: spans were recorded. Pages read from the API what they show.
 */
export type LiveMessage = ChannelMessages['/ws/observability'];

type Listener = (message: LiveMessage) => void;

/** All pages share one connection, which is open while a page listens. */
const listeners = new Set<Listener>();
const stateListeners = new Set<() => void>();
let closeChannel: (() => void) | undefined;
let state: ChannelState = 'connecting';

function setState(next: ChannelState): void {
  state = next;
  for (const listener of stateListeners) listener();
}

/** @returns a function that closes the channel. */
function openChannel(): () => void {
  const send = (message: LiveMessage): void => {
    for (const each of listeners) each(message);
  };
  if (isRestricted()) {
    const poll = new PollChannel({
      onTick: () => send({ type: 'OBSERVABILITY_CHANGE', success: true, data: {} }),
      onState: setState,
    });
    return () => poll.close();
  }
  return followChannel('/ws/observability', { query: { changes: 'true' }, onMessage: send, onState: setState });
}

function listen(listener: Listener): () => void {
  listeners.add(listener);
  closeChannel ??= openChannel();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    closeChannel?.();
    closeChannel = undefined;
  };
}

/** Calls `listener` with each message while the component is shown. Pass a stable function. */
export function useLiveMessages(listener: Listener): void {
  useEffect(() => listen(listener), [listener]);
}

export function useChannelState(): ChannelState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}
