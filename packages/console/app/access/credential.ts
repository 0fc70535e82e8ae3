import { useSyncExternalStore } from 'react';

/**
 * The credential that the person at the browser has entered. The console key shows everything, a
 * token only the data of its user.
 */
export interface Credential {
  readonly kind: 'key' | 'token';
  readonly value: string;
}

/** Kept for the tab, as long as it is open. */
const storageKey = 'halyard-console-credential';

let credential = readCredential();
/** Whether the server refused the last request for want of a valid credential. */
let isRefused = false;
const listeners = new Set<() => void>();

export function currentCredential(): Credential | undefined {
  return credential;
}

/**
 * Whether the console has a user's token. It shows the data of this user then, and calls the routes
 * of users.
 */
export function isUser(): boolean {
  return credential?.kind === 'token';
}

export function useIsUser(): boolean {
  return useSyncExternalStore(subscribe, isUser);
}

export function enterCredential(entered: Credential): void {
  credential = entered;
  isRefused = false;
  sessionStorage.setItem(storageKey, JSON.stringify(entered));
  notify();
}

export function forgetCredential(): void {
  credential = undefined;
  isRefused = false;
  sessionStorage.removeItem(storageKey);
  notify();
}

/**
 * The server wants a credential, or another one. What was entered stays, so that the form can say
 * that it was refused.
 */
export function refuseCredential(): void {
  // A user's token opens the user's own pages only: the page that is refused says so.
  if (isRefused || credential?.kind === 'token') return;
  isRefused = true;
  notify();
}

export function useCredential(): Credential | undefined {
  return useSyncExternalStore(subscribe, currentCredential);
}

export function useIsRefused(): boolean {
  return useSyncExternalStore(subscribe, () => isRefused);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

/** A key in the address, as the start screen links it, is taken out of the address at once. */
function readCredential(): Credential | undefined {
  const url = new URL(location.href);
  const key = url.searchParams.get('key');
  if (key !== null) {
    url.searchParams.delete('key');
    history.replaceState(history.state, '', url);
    const entered: Credential = { kind: 'key', value: key };
    sessionStorage.setItem(storageKey, JSON.stringify(entered));
    return entered;
  }
  const stored = sessionStorage.getItem(storageKey);
  return stored === null ? undefined : (JSON.parse(stored) as Credential);
}
