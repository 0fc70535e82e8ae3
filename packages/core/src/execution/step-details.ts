import type { Attributes, JsonValue, SpanDetails } from '@halyard/contracts';
import { estimatedBytes } from '../telemetry/estimated-bytes.ts';
import type { StepRun } from './step-run.ts';
import { inputAndOutput } from './workflow-details.ts';

/** What the span of a step says. */
export class StepDetails implements SpanDetails {
  readonly #stepId: string;
  readonly #type: string;
  readonly #executionId: string;
  readonly #input: JsonValue | undefined;
  #output: JsonValue | undefined = undefined;
  #attempts: number | undefined = undefined;
  #outcome: string | undefined = undefined;

  /** @param input undefined where content is not recorded. */
  constructor({ execution, step, stepId }: StepRun, input: JsonValue | undefined) {
    this.#stepId = stepId;
    this.#type = step.type;
    this.#executionId = execution.id;
    this.#input = input;
  }

  answered(output: JsonValue): void {
    if (this.#input !== undefined) this.#output = output;
  }

  ended(attempts: number, outcome: string): void {
    this.#attempts = attempts;
    this.#outcome = outcome;
  }

  toAttributes(): Attributes {
    return {
      'halyard.step.id': this.#stepId,
      'halyard.step.type': this.#type,
      'halyard.execution.id': this.#executionId,
      ...(this.#attempts !== undefined && { 'halyard.step.attempts': this.#attempts }),
      ...(this.#outcome !== undefined && { 'halyard.step.outcome': this.#outcome }),
    };
  }

  toContent(): Attributes {
    return inputAndOutput(this.#input, this.#output);
  }

  get contentBytes(): number {
    return estimatedBytes(this.#input) + estimatedBytes(this.#output);
  }
}
