import type { CreateOptions } from '@halyard/contracts';
import type { ObjectContext } from '@restatedev/restate-sdk';
import { call, send } from './calls.ts';
import type { StartKeys } from './execution-state.ts';

/** Asks the keys of a new execution whether it may be created, and when it is due. */
export async function applyStartRules(
  ctx: ObjectContext,
  id: string,
  { debounce, dueInMs = 0, singleton, throttle }: CreateOptions,
  now: number,
): Promise<'skipped' | { readonly dueAt: number; readonly keys: StartKeys }> {
  let dueAt = now + dueInMs;
  const keys = {
    ...(singleton !== undefined && { singleton: `singleton:${singleton.key}` }),
    ...(debounce !== undefined && { debounce: `debounce:${debounce.key}` }),
  };
  if (singleton !== undefined) {
    const parameter = { id, onlyIfEmpty: singleton.onBusy === 'skip', since: now };
    const { isBusy } = await call(ctx, 'key', `singleton:${singleton.key}`, 'enter', parameter);
    if (isBusy && singleton.onBusy === 'skip') return 'skipped';
  }
  if (debounce !== undefined) {
    const { delayMs, key, maxDelayMs = Infinity } = debounce;
    const parameter = { id, onlyIfEmpty: false, since: now };
    const { since } = await call(ctx, 'key', `debounce:${key}`, 'enter', parameter);
    dueAt = Math.max(now, Math.min(now + delayMs, since + maxDelayMs));
  }
  if (throttle !== undefined) {
    const { key, limit, periodMs } = throttle;
    dueAt = await call(ctx, 'key', `throttle:${key}`, 'throttle', { dueAt, limit, periodMs });
  }
  return { dueAt, keys };
}

/** The execution runs again after it has ended. */
export function enterAgain(ctx: ObjectContext, id: string, { singleton }: StartKeys, now: number): void {
  if (singleton !== undefined) send(ctx, 'key', singleton, 'enter', { id, onlyIfEmpty: false, since: now });
}

/** The execution has ended or was deleted. */
export function leaveKeys(ctx: ObjectContext, id: string, { debounce, singleton }: StartKeys): void {
  if (singleton !== undefined) send(ctx, 'key', singleton, 'leave', { id });
  if (debounce !== undefined) send(ctx, 'key', debounce, 'leave', { id });
}

/** The execution was claimed for the first time: later starts do not replace it. */
export function leaveDebounce(ctx: ObjectContext, id: string, { debounce }: StartKeys): void {
  if (debounce !== undefined) send(ctx, 'key', debounce, 'leave', { id });
}
