import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ConfigurationError, DefinitionChangedError, InvalidInputError, type JsonValue } from '@halyard/contracts';
import { hasNoId } from '../../definition/check-step-options.ts';
import { childPath } from '../../definition/place.ts';
import type { StepContext } from '../../definition/step-context.ts';
import type { AnyStep } from '../../definition/step.ts';
import { acceptJson } from '../../engine/accept-json.ts';
import { ControlSignal, ScopeClosedSignal } from '../branches/control-signals.ts';
import type { Scope } from '../branches/scope.ts';
import { Attempt } from './attempt.ts';
import type { StepRun } from './step-run.ts';

/**
 * Runs a step that code calls, or reads its record. A rejection that nobody handles is never
 * reported as unhandled.
 */
export type CallStep = (createStep: () => AnyStep) => Promise<JsonValue>;

/**
 * Runs code that calls steps by itself. After a wait in another process, it runs again from its
 * beginning, and the steps that were recorded return at once.
 *
 * @throws the errors of the code; a ControlSignal.
 */
export async function runCode(
  run: StepRun,
  data: JsonValue,
  code: (context: StepContext<unknown>, call: CallStep) => unknown,
): Promise<JsonValue> {
  const calls = new CodeCalls(run, data);
  const attempt = new Attempt(run, data, { canBeInterrupted: false });
  const ended = attempt.call((context) => code(context, calls.call), undefined);
  const outcome = await Promise.race([ended, calls.interrupted])
    .catch((signal: unknown) => {
      attempt.cancel(signal);
      throw signal;
    })
    .finally(() => calls.end());
  if (run.scope.isClosed) throw new ScopeClosedSignal();
  if (outcome.kind === 'value') return acceptJson(outcome.value, 'it returned');
  throw outcome.kind === 'error' ? outcome.error : new InvalidInputError('only a step can suspend, bail or abort');
}

/**
 * The steps that one run of the code has called.
 *
 * The code is an active branch, except while it waits for steps: then it leaves its scope, and the
 * execution is active only as long as one of these steps is. Whatever else the code waits for at
 * the same time does not keep the execution active.
 */
class CodeCalls {
  /** Rejects with a control signal of a step. The code does not see it, so it cannot catch it. */
  readonly interrupted: Promise<never>;
  readonly #interrupt: (signal: ControlSignal) => void;
  readonly #run: StepRun;
  readonly #data: JsonValue;
  readonly #scope: Scope;
  readonly #ids = new Set<string>();
  #running = 0;
  #isAboutToLeave = false;
  #hasLeftScope = false;
  #hasEnded = false;

  constructor(run: StepRun, data: JsonValue) {
    this.#run = run;
    this.#data = data;
    this.#scope = run.scope.open();
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.interrupted = promise;
    this.#interrupt = reject;
  }

  readonly call: CallStep = (createStep) => {
    const output = this.#call(createStep).catch(async (error: unknown) => {
      if (!(error instanceof ControlSignal)) throw error;
      this.#interrupt(error);
      return forever();
    });
    output.catch(() => {});
    return output;
  };

  /** Stops the steps that still run. */
  end(): void {
    const { executionRun, path, scope } = this.#run;
    if (scope.isClosed) return;
    this.#enterScope();
    this.#hasEnded = true;
    executionRun.closeBelow(path, this.#scope);
  }

  async #call(createStep: () => AnyStep): Promise<JsonValue> {
    const step = accept(createStep);
    this.#check(step);
    if (this.#hasEnded) return forever();
    const scope = this.#scope.open();
    scope.enter();
    this.#running += 1;
    void this.#leaveScopeSoon();
    try {
      return await this.#run.inner(step, this.#data, { scope });
    } finally {
      this.#enterScope();
      this.#running -= 1;
      scope.leave();
      void this.#leaveScopeSoon();
    }
  }

  /** @throws InvalidInputError; DefinitionChangedError */
  #check(step: AnyStep): void {
    const { id, type } = step;
    const { execution, executionRun, path, stepId } = this.#run;
    if (hasNoId(step))
      throw new InvalidInputError(
        `step ${this.#ids.size + 1} that the code of "${stepId}" calls (${type}) has no id: pass one as the first argument`,
      );
    if (this.#ids.has(id))
      throw new InvalidInputError(
        `two steps of "${stepId}" have the id "${id}": give each its own, such as "${id}-1" and "${id}-2"`,
      );
    this.#ids.add(id);
    const ownPath = childPath(path, id);
    const entry = executionRun.journal.get(ownPath);
    if (entry !== undefined && entry.type !== type)
      throw new DefinitionChangedError(
        execution.workflow.id,
        `step "${ownPath}" was recorded as ${entry.type} and is now ${type}`,
      );
  }

  #enterScope(): void {
    if (!this.#hasLeftScope || this.#hasEnded) return;
    this.#hasLeftScope = false;
    this.#run.scope.enter();
  }

  /**
   * Leaves the scope once the code has called all that it calls now, if it then waits for steps.
   */
  async #leaveScopeSoon(): Promise<void> {
    if (this.#isAboutToLeave) return;
    this.#isAboutToLeave = true;
    await yieldToEventLoop();
    this.#isAboutToLeave = false;
    if (this.#running === 0 || this.#hasLeftScope || this.#hasEnded) return;
    this.#hasLeftScope = true;
    this.#run.scope.leave();
  }
}

/**
 * @throws InvalidInputError for invalid options: the message is for people who read why the
 * execution failed.
 */
function accept(createStep: () => AnyStep): AnyStep {
  try {
    return createStep();
  } catch (error) {
    throw error instanceof ConfigurationError ? new InvalidInputError(error.message) : error;
  }
}

/** Leaves the code where it is: the awaited value never comes. */
function forever(): Promise<never> {
  return new Promise(() => {});
}
