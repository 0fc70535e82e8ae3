import { InvalidInputError, type JsonValue } from '@halyard/contracts';
import { toJson } from '../../../json/to-json.ts';
import type { CompiledSchema } from '../../../schema/compile-schema.ts';
import { ScopeClosedSignal } from '../branches/control-signals.ts';
import type { StepRun } from './step-run.ts';
import { untilReady } from './until-ready.ts';

export interface EventWait {
  readonly name: string;
  /** Whose events are received. */
  readonly from: 'server' | 'owner';
  /** Called once, when the wait begins. */
  readonly chooseKey: () => Promise<string | null>;
  readonly payload: CompiledSchema<unknown> | undefined;
  readonly timeoutMs: number | undefined;
}

/**
 * Suspends a step until an event is published. @returns its payload; null when none came in time.
 */
export async function waitForEvent(
  run: StepRun,
  { chooseKey, from, name, payload, timeoutMs }: EventWait,
): Promise<JsonValue> {
  const { executionRun, path, scope } = run;
  const { waits } = executionRun;
  if (!waits.suspensions.has(path) && !waits.resumptions.has(path)) {
    await untilReady(run);
    const key = await chooseKey();
    if (scope.isClosed) throw new ScopeClosedSignal();
    executionRun.waitChanges.suspend(run, {
      kind: 'event',
      reason: `waits for the event "${name}"`,
      data: { event: name, key },
      event: { name, key, ...(from === 'owner' && { from }) },
      timeoutMs,
    });
  }
  await untilReady(run);
  const answer = waits.resumptions.get(path);
  if (answer === undefined || answer.isTimeout === true) return null;
  if (payload === undefined) return answer.data;
  const accepted = await payload.validate(answer.data, 'payload');
  if (!accepted.ok) throw new InvalidInputError(accepted.message);
  return accepted.value === answer.data ? answer.data : toJson(accepted.value);
}
