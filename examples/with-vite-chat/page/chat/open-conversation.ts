import { useSyncExternalStore } from 'react';

/**
 * The id of the open conversation, which is in the fragment of the URL: it stays after a reload,
 * and the browser's buttons change it. Empty for a new conversation, until its first message.
 * Undefined while a server renders the page, because browsers do not send the fragment.
 */
export function useOpenConversation(): string | undefined {
  return useSyncExternalStore(watch, read, () => undefined);
}

/** Opens a conversation, or a new one. */
export function openConversation(id = ''): void {
  location.hash = id;
}

/** Puts the id of the new conversation into the URL. */
export function keepConversation(id: string): void {
  history.replaceState(null, '', `#${id}`);
  // Browsers report only changes by links and by `location`.
  for (const listener of listeners) listener();
}

function read(): string {
  return location.hash.slice(1);
}

const listeners = new Set<() => void>();

function watch(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('hashchange', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('hashchange', listener);
  };
}
