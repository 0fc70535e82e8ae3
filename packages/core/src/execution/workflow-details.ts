import type { Attributes, Execution, JsonValue, SpanDetails } from '@halyard/contracts';
import { boundedText } from '../telemetry/bounded-json.ts';
import { estimatedBytes } from '../telemetry/estimated-bytes.ts';

/** What the span of an execution says of it. */
export type TracedExecution = Pick<
  Execution,
  'id' | 'workflowId' | 'workflowName' | 'input' | 'userId' | 'conversationId'
>;

/** What the span of a stretch of an execution says. What an execution holds does not change: it can be told later. */
export class WorkflowDetails implements SpanDetails {
  readonly #id: string;
  readonly #workflowId: string;
  readonly #workflowName: string;
  readonly #userId: string | undefined;
  readonly #conversationId: string | undefined;
  readonly #input: JsonValue | undefined;
  #output: JsonValue | undefined = undefined;
  #status: Execution['status'] | undefined = undefined;

  constructor(execution: TracedExecution, recordsContent: boolean) {
    this.#id = execution.id;
    this.#workflowId = execution.workflowId;
    this.#workflowName = execution.workflowName;
    this.#userId = execution.userId;
    this.#conversationId = execution.conversationId;
    this.#input = recordsContent ? execution.input : undefined;
  }

  ended(status: Execution['status'], output: JsonValue | undefined): void {
    this.#status = status;
    if (this.#input !== undefined) this.#output = output;
  }

  toAttributes(): Attributes {
    return {
      'entity.type': 'workflow',
      'entity.id': this.#workflowId,
      'halyard.execution.id': this.#id,
      'halyard.workflow.name': this.#workflowName,
      ...(this.#userId !== undefined && { 'user.id': this.#userId }),
      ...(this.#conversationId !== undefined && { 'gen_ai.conversation.id': this.#conversationId }),
      ...(this.#status !== undefined && { 'halyard.execution.status': this.#status }),
    };
  }

  toContent(): Attributes {
    return inputAndOutput(this.#input, this.#output);
  }

  get contentBytes(): number {
    return estimatedBytes(this.#input) + estimatedBytes(this.#output);
  }
}

/** What went in and came out, as far as it is told. */
export function inputAndOutput(input: JsonValue | undefined, output: JsonValue | undefined): Attributes {
  return {
    ...(input !== undefined && { 'halyard.input': boundedText(input) }),
    ...(output !== undefined && { 'halyard.output': boundedText(output) }),
  };
}
