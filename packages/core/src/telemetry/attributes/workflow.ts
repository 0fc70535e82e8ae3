import type { Attributes, Execution, JsonValue } from '@halyard/contracts';
import { isChatWorkflow } from '../../chat/durable/chat-workflow-id.ts';
import { boundedText } from './bounded-json.ts';

export type RecordedExecution = Pick<
  Execution,
  'id' | 'workflowId' | 'workflowName' | 'input' | 'userId' | 'conversationId'
>;

export function workflowAttributes({
  conversationId,
  id,
  userId,
  workflowId,
  workflowName,
}: Omit<RecordedExecution, 'input'>): Attributes {
  return {
    ...(!isChatWorkflow(workflowId) && { 'entity.type': 'workflow', 'entity.id': workflowId }),
    'halyard.execution.id': id,
    'halyard.workflow.name': workflowName,
    ...(userId !== undefined && { 'user.id': userId }),
    ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
  };
}

/** The input and output of a workflow or a step. */
export function inputAndOutput(input: JsonValue, output: JsonValue | undefined): Attributes {
  return {
    'halyard.input': boundedText(input),
    ...(output !== undefined && { 'halyard.output': boundedText(output) }),
  };
}
