import type { JsonValue } from '@halyard/contracts';
import { copyJson, toJson } from '../json/to-json.ts';
import type { ToolWorkflow } from '../tool/tool.ts';
import type { RunRest, RunRests } from './run-rests.ts';

/** What one tool call may do to the workflow that its agent works in. What it wanted holds, whatever it does after that. */
export class ToolRest implements ToolWorkflow {
  readonly executionId: string;
  readonly resumeData: JsonValue | undefined;
  /** What the call waits for, if it does. */
  wish: RunRest | undefined;
  readonly #rests: RunRests;
  readonly #key: string;

  constructor(rests: RunRests, key: string) {
    this.executionId = rests.executionId;
    this.resumeData = copyJson(rests.answerTo(key, 'step')?.data);
    this.#rests = rests;
    this.#key = key;
  }

  readonly suspend = (reason: string, data?: unknown): never => {
    this.wish ??= { key: this.#key, kind: 'step', reason, data: data === undefined ? undefined : toJson(data) };
    throw new ToolLeft('the tool has suspended its workflow; let this pass');
  };

  readonly abort = (reason = 'aborted by a tool'): never => {
    this.#rests.abort(reason);
    throw new ToolLeft('the tool has aborted its workflow; let this pass');
  };
}

class ToolLeft extends Error {}
