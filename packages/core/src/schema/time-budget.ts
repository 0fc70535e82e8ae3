import { createContext, type Context, Script } from 'node:vm';

/** How a call ended: with its value, or cut off by its time limit or the end of the stack. */
export type BudgetResult<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly reason: 'time' | 'stack' };

/**
 * Runs synchronous code that may never end, for at most `limitMs` of wall-clock time: an endless loop, an exponential one and
 * endless recursion all end here. What `body` throws is thrown on.
 *
 * Costs about 0.1 ms a call (a watchdog thread). Code that was cut off ran none of its `finally` blocks: what it was changing must
 * be thrown away.
 */
export function runWithinBudget<T>(limitMs: number, body: () => T): BudgetResult<T> {
  let result: BudgetResult<T> | undefined;
  let failure: { readonly error: unknown } | undefined;
  watched ??= createWatched();
  // The limit holds for all JavaScript that the script reaches, so the body may live outside its context.
  watched.context['body'] = () => {
    try {
      result = { done: true, value: body() };
    } catch (error) {
      if (isStackOverflow(error)) result = { done: false, reason: 'stack' };
      else failure = { error };
    }
  };
  try {
    watched.script.runInContext(watched.context, { timeout: limitMs });
  } catch (error) {
    if (isTimeout(error)) return { done: false, reason: 'time' };
    throw error;
  } finally {
    watched.context['body'] = undefined;
  }

  if (failure) throw failure.error;
  return result ?? { done: false, reason: 'stack' };
}

let watched: { readonly script: Script; readonly context: Context } | undefined;

function createWatched(): { readonly script: Script; readonly context: Context } {
  return { script: new Script('body()'), context: createContext({ body: undefined }) };
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** The error is one of the script's context: no `instanceof` here. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
