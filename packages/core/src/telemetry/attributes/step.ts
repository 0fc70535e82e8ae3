import type { Attributes, JsonValue, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';
import { inputAndOutput } from './workflow.ts';

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
  constructor(stepId: string, type: string, executionId: string, input: JsonValue | undefined) {
    this.#stepId = stepId;
    this.#type = type;
    this.#executionId = executionId;
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

  pack(to: PackWriter): void {
    to.held(this.#stepId);
    to.shared(this.#type);
    to.held(this.#executionId);
    to.value(this.#input);
    to.value(this.#output);
    to.integer(this.#attempts ?? 0);
    to.shared(this.#outcome);
  }

  get unpack(): typeof StepDetails.unpack {
    return StepDetails.unpack;
  }

  static readonly unpack = (from: PackReader): StepDetails => {
    const details = new StepDetails(from.held(), from.shared(), from.held(), from.value());
    details.#output = from.value();
    details.#attempts = from.integer() || undefined;
    details.#outcome = from.shared();
    return details;
  };
}
