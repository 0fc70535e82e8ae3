import { useEffect, useSyncExternalStore } from 'react';
import { isUser } from '../access/credential.ts';
import { type ChannelState, LiveChannel } from './live-channel.ts';
import { PollChannel } from './poll-channel.ts';

/** Of `/ws/observability?changes=true`: spans were recorded. Pages read from the API what they show. */
export interface LiveMessage {
  readonly type: 'OBSERVABILITY_CHANGE' | 'CONNECTION_SUCCESS';
  readonly success: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

type Listener = (message: LiveMessage) => void;

/** All pages share one connection, which is open while a page listens. */
const listeners = new Set<Listener>();
const stateListeners = new Set<() => void>();
let channel: LiveChannel | PollChannel | undefined;
let state: ChannelState = 'connecting';

function setState(next: ChannelState): void {
  state = next;
  for (const listener of stateListeners) listener();
}

function openChannel(): LiveChannel | PollChannel {
  const send = (message: LiveMessage): void => {
    for (const each of listeners) each(message);
  };
  if (isUser())
    return new PollChannel({
      onTick: () => send({ type: 'OBSERVABILITY_CHANGE', success: true, data: {} }),
      onState: setState,
    });
  return new LiveChannel({
    path: 'ws/observability',
    query: { changes: 'true' },
    onMessage: (message) => send(message as LiveMessage),
    onState: setState,
  });
}

function listen(listener: Listener): () => void {
  listeners.add(listener);
  channel ??= openChannel();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    channel?.close();
    channel = undefined;
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
