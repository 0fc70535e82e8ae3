import type { Attributes, Execution, JsonValue, PackReader, PackWriter, SpanDetails } from '@halyard/contracts';
import { boundedText } from './bounded-json.ts';

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

  /** @param input undefined where content is not recorded. */
  constructor(execution: Omit<TracedExecution, 'input'>, input: JsonValue | undefined) {
    this.#id = execution.id;
    this.#workflowId = execution.workflowId;
    this.#workflowName = execution.workflowName;
    this.#userId = execution.userId;
    this.#conversationId = execution.conversationId;
    this.#input = input;
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

  pack(to: PackWriter): void {
    to.held(this.#id);
    to.shared(this.#workflowId);
    to.shared(this.#workflowName);
    to.held(this.#userId);
    to.held(this.#conversationId);
    to.value(this.#input);
    to.value(this.#output);
    to.shared(this.#status);
  }

  get unpack(): typeof WorkflowDetails.unpack {
    return WorkflowDetails.unpack;
  }

  static readonly unpack = (from: PackReader): WorkflowDetails => {
    const id = from.held<string>();
    const [workflowId, workflowName] = [from.shared<string>(), from.shared<string>()];
    const [userId, conversationId] = [from.held<string | undefined>(), from.held<string | undefined>()];
    const details = new WorkflowDetails({ id, workflowId, workflowName, userId, conversationId }, from.value());
    details.#output = from.value();
    details.#status = from.shared();
    return details;
  };
}

/** What went in and came out, as far as it is told. */
export function inputAndOutput(input: JsonValue | undefined, output: JsonValue | undefined): Attributes {
  return {
    ...(input !== undefined && { 'halyard.input': boundedText(input) }),
    ...(output !== undefined && { 'halyard.output': boundedText(output) }),
  };
}
