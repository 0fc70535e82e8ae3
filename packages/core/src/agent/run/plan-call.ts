import type { JsonValue } from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import type { Tool } from '../../tool/tool.ts';
import type { ApprovalRequest } from '../approvals/approvals.ts';
import type { ToolCallRecord } from '../run-result.ts';
import { parsedInput } from './parsed-input.ts';
import type { Run } from './run.ts';
import type { RequestedCall } from './step-reader.ts';
import type { CallSuspension } from './suspensions.ts';
import { toolContext, toolErrorMessage } from './tool-call.ts';

/** A call as far as it is known when the model has made it; `call.input` is as the model wrote it. */
export type PlannedCall =
  /** `input` is what the tool's schema made of it. */
  | {
      readonly kind: 'run';
      readonly tool: Tool;
      readonly call: ToolCallRecord;
      readonly input: unknown;
      /** The answer that a person gave when the run was suspended for it. */
      readonly answer?: JsonValue;
    }
  /** A person must agree, or the client runs the tool: no result in this run. */
  | { readonly kind: 'wait'; readonly call: ToolCallRecord }
  | { readonly kind: 'refuse'; readonly call: ToolCallRecord; readonly error: string; readonly invalidInput: boolean }
  /** A person has said no. */
  | {
      readonly kind: 'deny';
      readonly call: ToolCallRecord;
      readonly reason: string | undefined;
      readonly answer: JsonValue;
    };

/**
 * Checks what the model asked for and tells the client: arguments that do not fit, a tool that is not there, a call that needs approval.
 *
 * @param isTold whether the client knows of the call.
 */
export async function planCall(run: Run, at: string, requested: RequestedCall, isTold: boolean): Promise<PlannedCall> {
  const plan = await decide(run, at, requested);
  if (isTold && run.turn === undefined) return plan;
  const emit = isTold ? run.recall : run.emit;
  const { call } = plan;
  // It was asked for in an earlier try, and is answered now.
  const asked = isTold && requested.approval !== false ? requested.approval : undefined;
  const { providerMetadata } = requested;
  const invalidInput = plan.kind === 'refuse' && plan.invalidInput;
  await emit({
    type: 'tool-call',
    ...call,
    ...asked,
    ...(invalidInput && { invalidInput }),
    ...(providerMetadata && { providerMetadata }),
  });
  if (plan.kind === 'refuse') {
    await emit({ type: 'tool-error', ...call, error: plan.error, ...(invalidInput && { invalidInput }) });
  }
  return plan;
}

async function decide(run: Run, at: string, requested: RequestedCall): Promise<PlannedCall> {
  const { toolCallId, toolName } = requested;
  const call: ToolCallRecord = { toolCallId, toolName, input: parsedInput(requested.input) };
  const tool = run.findTool(toolName);
  if (tool === undefined) {
    const available = run.modelTools.map(({ name }) => name).join(', ') || 'none';
    return refusal(call, `There is no tool "${toolName}"; available: ${available}`);
  }
  try {
    const checked = await checkedInput(tool, call.input);
    if (!checked.ok) return refusal(call, `Invalid arguments for tool "${toolName}": ${checked.message}`, true);
    const asks = await asksForApproval(run, at, tool, checked.value, requested);
    const { suspensions } = run.journal;
    if (asks && suspensions !== undefined) {
      const answer = suspensions.findAnswer(approvalKey(at, toolCallId))?.data;
      if (answer === undefined) return { kind: 'wait', call: { ...call, ...approvalOf(run, at, call, requested) } };
      const { approved, reason } = approvalAnswer(answer);
      return approved
        ? { kind: 'run', tool, call, input: checked.value, answer }
        : { kind: 'deny', call, reason, answer };
    }
    if (tool.clientSide && (run.delegated || suspensions !== undefined))
      return refusal(call, `Tool "${toolName}" needs a client, which this agent does not have`);
    if (asks && run.delegated)
      return refusal(call, `Tool "${toolName}" needs a person's approval, which a delegated agent cannot ask for`);
    if (asks) return { kind: 'wait', call: { ...call, ...approvalOf(run, at, call, requested) } };
    return tool.clientSide ? { kind: 'wait', call } : { kind: 'run', tool, call, input: checked.value };
  } catch (error) {
    run.limits.throwIfAborted();
    run.logger.warn({ err: error, tool: tool.name, toolCallId }, 'a tool call could not be checked');
    return refusal(call, toolErrorMessage(toolName, error));
  }
}

function refusal(call: ToolCallRecord, error: string, invalidInput = false): PlannedCall {
  return { kind: 'refuse', call, error, invalidInput };
}

function checkedInput(tool: Tool, input: unknown): ReturnType<Tool['input']['validate']> {
  if (typeof input === 'string') return { ok: false, message: 'input must be a JSON object' };
  return tool.input.validate(input, 'input');
}

/** The answer is kept with the call: a run that is repeated from its journal asks nobody again. */
async function asksForApproval(
  run: Run,
  at: string,
  tool: Tool,
  input: unknown,
  requested: RequestedCall,
): Promise<boolean> {
  if (tool.approval === false || tool.clientSide) return false;
  if (tool.approval === true || requested.approval !== undefined) return requested.approval !== false;
  const { toolCallId, toolName } = requested;
  const asks = await tool.needsApproval(input, {
    ...toolContext(run, at, toolCallId, run.addUsage),
    toolName,
    signal: run.limits.signal,
  });
  if (!asks) requested.approval = false;
  return asks;
}

function approvalOf(run: Run, at: string, call: ToolCallRecord, requested: RequestedCall): ApprovalRequest {
  const { agent, conversationId, journal, services, userId } = run;
  const known = requested.approval === false ? undefined : requested.approval;
  const place = journal.suspensions?.placeOf(approvalKey(at, call.toolCallId));
  const approval = known ?? services.approvals.request({ ...call, agentId: agent.id, userId, conversationId }, place);
  requested.approval = approval;
  return approval;
}

export function approvalKey(at: string, toolCallId: string): string {
  return `${at}/approval/${toolCallId}`;
}

export function approvalAnswer(data: JsonValue): { readonly approved: boolean; readonly reason: string | undefined } {
  const { approved, reason } = typeof data === 'object' && data !== null && 'approved' in data ? data : {};
  return { approved: approved === true, reason: typeof reason === 'string' ? reason : undefined };
}

/** The suspension of a call that waits for approval, where the run can suspend. */
export function approvalSuspension(
  run: Run,
  at: string,
  { call }: Extract<PlannedCall, { kind: 'wait' }>,
): CallSuspension | undefined {
  if (run.journal.suspensions === undefined) return undefined;
  return {
    key: approvalKey(at, call.toolCallId),
    kind: 'approval',
    reason: `Tool "${call.toolName}" needs approval`,
    data: toJson({ agentId: run.agent.id, ...call }),
  };
}

/** Records what a person answered, before anything is done about it. */
export async function recordAnswer(
  run: Run,
  at: string,
  { toolCallId }: ToolCallRecord,
  answer: JsonValue,
): Promise<void> {
  await run.journal.record(approvalKey(at, toolCallId), async () => answer);
}
