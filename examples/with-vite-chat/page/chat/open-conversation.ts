import { useEffect, useSyncExternalStore } from 'react';

/** The id of the open conversation, which is in the fragment of the URL: it stays after a reload, and the browser's buttons change it. */
export function useOpenConversation(): string | undefined {
  const id = useSyncExternalStore(watch, read, () => '');
  useEffect(() => {
    if (read() === '') history.replaceState(null, '', `#${crypto.randomUUID()}`);
    announce();
  }, [id]);
  return id === '' ? undefined : id;
}

/** Opens a conversation, or a new one. */
export function openConversation(id: string = crypto.randomUUID()): void {
  location.hash = id;
}

function read(): string {
  return location.hash.slice(1);
}

const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('hashchange', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('hashchange', listener);
  };
}
