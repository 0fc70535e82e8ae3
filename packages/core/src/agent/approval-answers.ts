import type { ModelMessage } from '../model/message.ts';
import type { AgentServices } from './agent-services.ts';
import type { Agent } from './agent.ts';
import { approvalNotAccepted, type ApprovalRequest } from './approvals.ts';
import type { ToolCallRecord } from './run-result.ts';
import type { ApprovalAnswer } from './run.ts';

/** What the messages of a request say about calls that wait for a person. */
export interface AcceptedAnswers {
  readonly answers: readonly ApprovalAnswer[];
  /** To be marked as used when the whole request is accepted. */
  readonly requests: readonly ApprovalRequest[];
  readonly stillWaiting: boolean;
  /** Messages without results that the conversion of UI messages made up for denied calls: this run gives the real ones. */
  readonly messages: readonly ModelMessage[];
}

type Message<Role extends ModelMessage['role']> = Extract<ModelMessage, { role: Role }>;
type Response = Extract<Message<'tool'>['content'][number], { type: 'tool-approval-response' }> & {
  readonly signature?: string;
};

/**
 * Finds the answers to approval requests at the end of the messages, and verifies every one.
 * Answers further up belong to turns that are over.
 *
 * @throws InvalidInputError (`APPROVAL_NOT_ACCEPTED`) for one that is forged, expired, given twice, or for another call.
 */
export function acceptAnswers(
  messages: readonly ModelMessage[],
  agent: Agent,
  { approvals }: AgentServices,
  { userId, conversationId }: { readonly userId: string | undefined; readonly conversationId: string | undefined },
): AcceptedAnswers {
  const end = 1 + messages.findLastIndex(({ role }) => role === 'assistant');
  const assistant = messages[end - 1];
  const after = messages.slice(end);
  if (
    assistant?.role !== 'assistant' ||
    typeof assistant.content === 'string' ||
    after.length === 0 ||
    !after.every(isToolMessage)
  ) {
    return { answers: [], requests: [], stillWaiting: false, messages };
  }

  const responses = after.flatMap(({ content }) => content.filter(isResponse));
  const settledByResult = new Set(
    after.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-result' && (responses.length === 0 || !isDenial(part)) ? [part.toolCallId] : [],
      ),
    ),
  );
  const open = assistant.content.flatMap((part) =>
    part.type === 'tool-call' && part.providerExecuted !== true && !settledByResult.has(part.toolCallId) ? [part] : [],
  );
  const requests = assistant.content.flatMap((part) => (part.type === 'tool-approval-request' ? [part] : []));
  const answeredBefore = new Set(
    requests.flatMap((request) => (settledByResult.has(request.toolCallId) ? [request.approvalId] : [])),
  );

  const accepted = responses
    .filter((response) => !answeredBefore.has(response.approvalId))
    .map((response): { request: ApprovalRequest; answer: ApprovalAnswer } => {
      const request = requests.find(({ approvalId }) => approvalId === response.approvalId);
      const signature = response.signature ?? request?.signature;
      // The signature says which call was meant: a client need not repeat the request itself.
      const call = open.find(({ toolCallId, toolName, input }) =>
        approvals.verify(
          { approvalId: response.approvalId, ...(signature !== undefined && { signature }) },
          { agentId: agent.id, toolName, toolCallId, input, userId, conversationId },
        ),
      );
      if (call === undefined || signature === undefined) throw approvalNotAccepted(response.approvalId);
      const record: ToolCallRecord = { toolCallId: call.toolCallId, toolName: call.toolName, input: call.input };
      return {
        request: { approvalId: response.approvalId, signature },
        answer: { call: record, approved: response.approved, reason: response.reason },
      };
    });
  const answers = accepted.map(({ answer }) => answer);
  const answered = new Set(answers.map(({ call }) => call.toolCallId));
  const twice = accepted.find(
    ({ answer }, index) => answers.findIndex(({ call }) => call.toolCallId === answer.call.toolCallId) !== index,
  );
  if (twice !== undefined) throw approvalNotAccepted(twice.request.approvalId);
  const asked = new Set(requests.map(({ toolCallId }) => toolCallId));
  const waits = ({ toolCallId, toolName }: (typeof open)[number]): boolean => {
    if (answered.has(toolCallId)) return false;
    const tool = agent.findTool(toolName);
    // Who answers one call need not repeat that another was asked about.
    return (
      asked.has(toolCallId) ||
      tool?.clientSide === true ||
      (answers.length > 0 && tool !== undefined && tool.approval !== false)
    );
  };
  const left = [...messages.slice(0, end), ...withoutResults(after, answered)];
  return { answers, requests: accepted.map(({ request }) => request), stillWaiting: open.some(waits), messages: left };
}

function isToolMessage(message: ModelMessage): message is Message<'tool'> {
  return message.role === 'tool';
}

function isResponse(part: Message<'tool'>['content'][number]): part is Response {
  return part.type === 'tool-approval-response' && part.providerExecuted !== true;
}

function isDenial(part: Extract<Message<'tool'>['content'][number], { type: 'tool-result' }>): boolean {
  return part.output.type === 'execution-denied';
}

function withoutResults(messages: readonly ModelMessage[], answered: ReadonlySet<string>): readonly ModelMessage[] {
  return messages.flatMap((message): readonly ModelMessage[] => {
    if (message.role !== 'tool') return [message];
    const content = message.content.filter((part) => part.type !== 'tool-result' || !answered.has(part.toolCallId));
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}
