import { useSyncExternalStore } from 'react';
import { currentCredential } from './credential.ts';

/** Kept for the tab, as the console's own credential. */
const storageKey = 'halyard-console-run-token';

let token = sessionStorage.getItem(storageKey) ?? undefined;
let wasRefused = false;
const listeners = new Set<() => void>();

/**
 * The headers of requests that run something for a user. The console key does not open these
 * routes: they want the token of a user, or the bypass of development.
 */
export function runHeaders(): Record<string, string> {
  const credential = currentCredential();
  if (credential?.kind === 'token') return { authorization: `Bearer ${credential.value}` };
  return token === undefined ? { 'x-service-dev': 'true' } : { authorization: `Bearer ${token}` };
}

/** Sends these requests with the token of a user; undefined: without one. */
export function enterRunToken(entered: string | undefined): void {
  token = entered;
  wasRefused = false;
  if (entered === undefined) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, entered);
  notify();
}

/** The server refused a request that runs something for want of a valid token. */
export function refuseRun(): void {
  if (wasRefused) return;
  wasRefused = true;
  notify();
}

export function useRunToken(): string | undefined {
  return useSyncExternalStore(subscribe, () => token);
}

export function useIsRunRefused(): boolean {
  return useSyncExternalStore(subscribe, () => wasRefused);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
