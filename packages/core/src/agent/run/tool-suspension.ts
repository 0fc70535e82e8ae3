import type { JsonValue } from '@halyard/contracts';
import { copyJson, toJson } from '../../json/to-json.ts';
import type { ToolWorkflow } from '../../tool/tool.ts';
import type { CallSuspension, RunSuspensions } from './run-suspensions.ts';

/** What one tool call may do to the workflow that its agent works in. What it wanted holds, whatever it does after that. */
export class ToolSuspension implements ToolWorkflow {
  readonly executionId: string;
  readonly resumeData: JsonValue | undefined;
  /** What the call waits for, if it does. */
  wish: CallSuspension | undefined;
  readonly #rests: RunSuspensions;
  readonly #key: string;
  readonly #answerId: string | undefined;

  constructor(rests: RunSuspensions, key: string) {
    const answer = rests.answerTo(key);
    this.executionId = rests.executionId;
    this.resumeData = copyJson(answer?.data);
    this.#answerId = answer?.id;
    this.#rests = rests;
    this.#key = key;
  }

  readonly suspend = (reason: string, data?: unknown): never => {
    this.wish ??= {
      key: this.#key,
      kind: 'step',
      reason,
      data: data === undefined ? undefined : toJson(data),
      answerId: this.#answerId,
    };
    throw new ToolLeft('the tool has suspended its workflow; let this pass');
  };

  readonly abort = (reason = 'aborted by a tool'): never => {
    this.#rests.abort(reason);
    throw new ToolLeft('the tool has aborted its workflow; let this pass');
  };
}

class ToolLeft extends Error {}
