import type { FinishReason } from '../agent-event.ts';
import type { Run } from './run.ts';
import type { StepOutcome } from './step/step-reader.ts';
import type { EndedStep } from './step/step-result.ts';
import { isStopConditionMet } from './stop-condition.ts';

/** The decision after a step of the agent loop. */
export type NextStep =
  /** The model is called again, with the results of its tools. */
  | { readonly kind: 'continue' }
  /** The run ends until a person or the client has replied a call. */
  | { readonly kind: 'wait' }
  /** The model is called again, because its object does not fit. */
  | { readonly kind: 'repair'; readonly complaint: string }
  /** The model is done, the steps are used up, or a condition of the app ends the run. */
  | { readonly kind: 'finish' };

/** Decides the next step of a run. */
export class NextSteps {
  readonly #run: Run;
  /** Calls whose results the provider may send in a later step. */
  readonly #deferred = new Set<string>();
  #repairs = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  /** To be called once for each step, in their order. */
  async after({ finishReason, isWaiting, outcome, planned, stepNumber, toolContent }: EndedStep): Promise<NextStep> {
    const { dependencies, output } = this.#run;
    this.#updateDeferred(outcome);
    if (isWaiting) return { kind: 'wait' };
    if (planned.length > 0 || this.#deferred.size > 0 || toolContent.length > 0) {
      const isEnd =
        stepNumber + 1 >= dependencies.maxSteps || (await isStopConditionMet(dependencies.loop, output.tally));
      return { kind: isEnd ? 'finish' : 'continue' };
    }
    const { object } = output;
    if (object === undefined || this.#repairs >= object.repairs || unrepairable.has(finishReason))
      return { kind: 'finish' };
    const complaint = await object.complaint(outcome.text);
    if (complaint === undefined) return { kind: 'finish' };
    this.#repairs += 1;
    return { kind: 'repair', complaint };
  }

  /**
   * Adds the calls of a step whose results the provider may send in a later one, and removes those
   * whose results have arrived. A step that was to bring a result and has none ends the waiting,
   * unless the agent's own tools go on.
   */
  #updateDeferred({ calls, content }: StepOutcome): void {
    const deferred = this.#deferred;
    const hasWaited = deferred.size > 0;
    for (const part of content) {
      if (part.type === 'tool-call' && part.providerExecuted === true && this.#defersResult(part.toolName))
        deferred.add(part.toolCallId);
      if (part.type === 'tool-result') deferred.delete(part.toolCallId);
    }
    if (hasWaited && calls.length === 0 && content.every(({ type }) => type !== 'tool-result')) deferred.clear();
  }

  #defersResult(toolName: string): boolean {
    return this.#run.dependencies.tools.defersResults(toolName);
  }
}

/**
 * A model that refuses would refuse again, and a reply that the limit of tokens has cut would be
 * cut again.
 */
const unrepairable: ReadonlySet<FinishReason> = new Set(['content-filter', 'length']);
