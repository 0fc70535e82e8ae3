import type { JsonValue } from '@halyard/contracts';

/** Thrown through the interpreter; none of them is a failure of a step. */
export abstract class ControlSignal extends Error {
  override readonly name: string = 'ControlSignal';
}

/** The part of the execution that this happened in was closed: nobody waits for it. */
export class ScopeClosedSignal extends ControlSignal {}

/** A step ended its workflow. */
export class BailSignal extends ControlSignal {
  readonly executionId: string;
  /** Of the step. */
  readonly path: string;
  readonly result: JsonValue;

  constructor(executionId: string, path: string, result: JsonValue) {
    super('bail');
    this.executionId = executionId;
    this.path = path;
    this.result = result;
  }
}

/** What a body throws when it suspends, bails or aborts: only to leave, what it wants is known already. */
export class LeaveSignal extends ControlSignal {}
