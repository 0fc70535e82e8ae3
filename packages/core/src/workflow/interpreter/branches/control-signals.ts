import type { JsonValue } from '@halyard/contracts';

/** Thrown to unwind the steps of an execution. A control signal is never a failure of a step. */
export abstract class ControlSignal extends Error {
  override readonly name: string = 'ControlSignal';
}

/** The scope was closed: its result is no longer needed. */
export class ScopeClosedSignal extends ControlSignal {
  constructor() {
    // Bodies see it as the reason of their `signal`.
    super('The result of the step is no longer needed');
  }
}

/** A step ended its workflow early, with a result. */
export class BailSignal extends ControlSignal {
  readonly executionId: string;
  /** The path of the step. */
  readonly path: string;
  readonly result: JsonValue;

  constructor(executionId: string, path: string, result: JsonValue) {
    super('bail');
    this.executionId = executionId;
    this.path = path;
    this.result = result;
  }
}

/** Leaves a body that called `suspend`, `bail` or `abort`. Its attempt already knows which one. */
export class ExitSignal extends ControlSignal {}
