import { useSyncExternalStore } from 'react';
import type { components } from '../api/schema.ts';

/**
 * The credential that the person at the browser has entered. The console key shows everything, a
 * token the data of its user, and what the roles of the user open.
 */
export interface Credential {
  readonly kind: 'key' | 'token';
  readonly value: string;
}

export type Identity = components['schemas']['Identity'];
type Level = Identity['console'][number]['level'];

/** Kept for the tab, as long as it is open. */
const storageKey = 'halyard-console-credential';

let credential = readCredential();
/** Of a token. */
let identity: Identity | undefined;
/** Whether the server refused the last request for want of a valid credential. */
let isRefused = false;
const listeners = new Set<() => void>();

export function currentCredential(): Credential | undefined {
  return credential;
}

/** The roles of a token that open the console. */
function roles(): Identity['console'] {
  return identity?.console ?? [];
}

/**
 * Whether the console has the token of a user without a console role. It shows the data of this user
 * then, and calls the routes of users.
 */
export function isUser(): boolean {
  return credential?.kind === 'token' && roles().length === 0;
}

export function useIsUser(): boolean {
  return useSyncExternalStore(subscribe, isUser);
}

/**
 * Whether the token opens only what belongs to its user, or to the agents, workflows and tenant of a
 * console role: no traces and logs, for example.
 */
export function isRestricted(): boolean {
  return credential?.kind === 'token' && !roles().some(isUnlimited);
}

export function useIsRestricted(): boolean {
  return useSyncExternalStore(subscribe, isRestricted);
}

function isUnlimited({ agents, tenantId, workflows }: Identity['console'][number]): boolean {
  return agents === null && workflows === null && tenantId === null;
}

/** The console role of the token with the highest level; undefined without one, and with the key. */
export function consoleLevel(): Level | undefined {
  return (['owner', 'operator', 'viewer'] as const).find((level) => roles().some((role) => role.level === level));
}

export function useConsoleLevel(): Level | undefined {
  return useSyncExternalStore(subscribe, consoleLevel);
}

/** Whether the person may change what this user owns, or nobody. */
export function useMayOperate(userId: string | null | undefined): boolean {
  const level = useConsoleLevel();
  return level !== 'viewer' || (userId !== undefined && userId !== null && userId === identity?.userId);
}

/** Whether the person may do what an owner may: with the key, an owner's role, or a server that is open. */
function isOwner(): boolean {
  return credential?.kind !== 'token' || roles().some((role) => role.level === 'owner' && isUnlimited(role));
}

export function useIsOwner(): boolean {
  return useSyncExternalStore(subscribe, isOwner);
}

export function ownUserId(): string | undefined {
  return identity?.userId ?? undefined;
}

/** @param known of a token: who it is for. */
export function enterCredential(entered: Credential, known: Identity | undefined): void {
  credential = entered;
  identity = known;
  isRefused = false;
  sessionStorage.setItem(storageKey, JSON.stringify(entered));
  notify();
}

export function forgetCredential(): void {
  credential = undefined;
  identity = undefined;
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
