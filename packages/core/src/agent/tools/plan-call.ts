import { InvalidInputError, type JsonObject, type JsonValue } from '@halyard/contracts';
import { toJson } from '../../json/to-json.ts';
import type { JSONObject } from '../../model/providers/model-port.ts';
import { loggedRunError } from '../../model/providers/provider-failure.ts';
import type { Tool, ToolApproval } from '../../tool/tool.ts';
import { type ApprovalRequest, ofRequester, type UnaskedCall } from '../approvals/approvals.ts';
import { changedInput } from '../approvals/changed-input.ts';
import { asksOthers, conversationExpiry, openRound } from '../approvals/expiring-request.ts';
import { acceptExpiry, acceptRules, asksSeveral, wholeExpiryMs } from '../approvals/expiry-rules.ts';
import { shownRequest } from '../approvals/shown-request.ts';
import { listToolNames } from '../loop/active-tools.ts';
import { approvalKey, storageCall } from '../loop/journal.ts';
import type { ApprovalResponse, Emit, Run, RunDependencies } from '../loop/run.ts';
import type { RequestedCall } from '../loop/step/step-reader.ts';
import { processError } from '../processors/tool-results.ts';
import type { ToolCallRecord } from '../run-result.ts';
import { parseArguments, textFault } from './parse-arguments.ts';
import { repairCall } from './repair-call.ts';
import { toToolCallFlags } from './tool-call-flags.ts';
import { type CallPlan, type PlannedCall, toolContext, toolErrorMessage } from './tool-call.ts';

/**
 * Plans a call that the model asks for, and emits it. The tool is unknown, the arguments do not
 * fit, a person must approve, or it can run.
 */
export async function planCall(run: Run, step: number, requested: RequestedCall, emit: Emit): Promise<PlannedCall> {
  const decided = await decideOrRepair(run, step, requested);
  const plan =
    decided.kind === 'refuse' ? { ...decided, error: await processError(run.dependencies, decided.error) } : decided;
  const { call } = plan;
  const { approval, unasked } = requested;
  const shown = shownApproval(requested);
  const providerMetadata =
    shown === undefined ? requested.providerMetadata : { ...requested.providerMetadata, halyard: shown };
  const providerFields = providerMetadata && { providerMetadata };
  const invalidInput = plan.kind === 'refuse' && plan.invalidInput && { invalidInput: true };
  const { dynamic, title } = toToolCallFlags(run.dependencies, call.toolName);
  const marks = { ...(dynamic && { dynamic }), ...invalidInput };
  const { input, toolCallId, toolName } = call;
  await emit({
    type: 'tool-call',
    // The conversation shows the request of a sub-agent as a call of its own.
    ...(run.dependencies.journal.suspensions?.conversation === undefined
      ? // A call that an earlier attempt requested approval for still carries the request.
        { ...call, ...approval }
      : { toolCallId, toolName, input }),
    ...(title !== undefined && { title }),
    ...marks,
    ...providerFields,
  });
  if (plan.kind === 'refuse') await emit({ type: 'tool-error', ...call, error: plan.error, ...marks });
  return { ...plan, ...providerFields, ...(unasked !== undefined && { unasked }) };
}

/** Clients show who must respond, or why nobody is asked. */
function shownApproval({ approval, expiry, rules, unasked }: RequestedCall): JSONObject | undefined {
  if (unasked !== undefined) return { ...unasked };
  if (approval === undefined || approval === false) return undefined;
  const shown = shownRequest(approval, { expiry, rules });
  return Object.keys(shown).length > 0 ? shown : undefined;
}

/** A call of an unknown tool, or whose arguments do not fit, is repaired where the app does so. */
async function decideOrRepair(run: Run, step: number, requested: RequestedCall): Promise<CallPlan> {
  const plan = await decide(run, step, requested);
  const { repairToolCall } = run.dependencies.loop;
  if (repairToolCall === undefined || plan.kind !== 'refuse') return plan;
  const isUnknown = !isActive(run.dependencies, requested.toolName);
  if (!plan.invalidInput && !isUnknown) return plan;
  try {
    const isRepaired = await repairCall(run, repairToolCall, requested, isUnknown ? undefined : plan.error);
    return isRepaired ? await decide(run, step, requested) : plan;
  } catch (error) {
    run.dependencies.limits.throwIfAborted();
    // A model may write anything as the name of an unknown tool.
    const named = isUnknown ? {} : { tool: requested.toolName };
    run.dependencies.logger.warn({ ...loggedRunError(error), ...named }, '`repairToolCall` failed');
    return plan;
  }
}

function isActive({ modelTools }: RunDependencies, toolName: string): boolean {
  return modelTools.some(({ name }) => name === toolName);
}

async function decide(run: Run, step: number, requested: RequestedCall): Promise<CallPlan> {
  const { toolCallId, toolName } = requested;
  const call: ToolCallRecord = { toolCallId, toolName, input: parseArguments(requested.input) };
  const tool = isActive(run.dependencies, toolName) ? run.dependencies.findTool(toolName) : undefined;
  if (tool === undefined)
    return refusal(call, `There is no tool "${toolName}"; available: ${listToolNames(run.dependencies.modelTools)}`);
  try {
    const checked = await checkInput(tool, call.input);
    if (!checked.ok) return refusal(call, `Invalid arguments for tool "${toolName}": ${checked.message}`, true);
    const needsApproval = await asksForApproval(run, step, tool, checked.value, requested);
    const { suspensions } = run.dependencies.journal;
    const key = approvalKey(step, toolCallId);
    const isStored = suspensions?.conversation?.isStored ?? run.conversation.writer !== undefined;
    const isInConversation = suspensions === undefined || suspensions.conversation !== undefined;
    const isUnseen = requested.rules !== undefined && isInConversation && !isStored;
    if (needsApproval && suspensions !== undefined && !isUnseen) {
      const approvalResponse = suspensions.findResumeData(key)?.data;
      if (approvalResponse === undefined) return await waitForApproval(run, key, call, requested);
      const response = readApproval(approvalResponse);
      if (!response.approved) return { kind: 'deny', call, reason: response.reason, approvalResponse };
      const given = changedInput(call, response);
      const accepted = given === undefined ? checked : await checkInput(tool, given);
      if (!accepted.ok) return refusal(call, cannotRun(toolName));
      const changed = given === undefined ? {} : { changedInput: toJson(given) };
      return { kind: 'run', tool, call, input: accepted.value, approvalResponse, ...changed };
    }
    if (tool.clientSide && (run.identity.isDelegated || suspensions !== undefined))
      return refusal(call, `Tool "${toolName}" needs a client, which this agent does not have`);
    if (needsApproval && run.identity.isDelegated && suspensions === undefined)
      return refusal(call, `Tool "${toolName}" needs a person's approval, which a delegated agent cannot ask for`);
    if (needsApproval && isUnseen)
      return refusal(
        call,
        `Tool "${toolName}" needs the approval of others, who cannot see a conversation that is not stored`,
      );
    if (needsApproval) return await waitForApproval(run, key, call, requested);
    return tool.clientSide ? { kind: 'wait', call } : { kind: 'run', tool, call, input: checked.value };
  } catch (error) {
    run.dependencies.limits.throwIfAborted();
    run.dependencies.logger.warn(
      { ...loggedRunError(error), tool: tool.name, toolCallId },
      'a tool call could not be checked',
    );
    return refusal(call, toolErrorMessage(toolName, error));
  }
}

function refusal(call: ToolCallRecord, error: string, invalidInput = false): CallPlan {
  return { kind: 'refuse', call, error, invalidInput };
}

function checkInput(tool: Tool, input: unknown): ReturnType<Tool['input']['validate']> {
  if (typeof input === 'string') return { ok: false, message: textFault(input) };
  return tool.input.validate(input, 'input');
}

/** The decision is recorded with the call, so that a repeated run does not ask the tool again. */
async function asksForApproval(
  run: Run,
  step: number,
  tool: Tool,
  input: unknown,
  requested: RequestedCall,
): Promise<boolean> {
  if (tool.approval === false || tool.clientSide) return false;
  if (requested.approval !== undefined) return requested.approval !== false;
  const { toolCallId, toolName } = requested;
  const context = { ...toolContext(run, step, toolCallId), toolName, signal: run.dependencies.limits.signal };
  const asked = await tool.needsApproval(input, context);
  if (typeof asked === 'object') {
    const { user } = run.identity;
    const [rules, expiry] = [acceptRules(asked, user), acceptExpiry(asked, user)];
    const unasked = await findUnasked(run, asked, { rules, expiry }, { toolCallId, toolName, input });
    if (unasked !== undefined) {
      requested.unasked = unasked;
      requested.approval = false;
      return false;
    }
    if (rules !== undefined) requested.rules = rules;
    if (expiry !== undefined) requested.expiry = expiry;
    if (asked.always === true && isAnswerableByOthers(run)) requested.allowsAlways = true;
  }
  if (asked === false) requested.approval = false;
  return asked !== false;
}

/** Whether the server knows the request, and not only the client. */
function isAnswerableByOthers({ conversation, dependencies: { journal } }: Run): boolean {
  const { suspensions } = journal;
  if (suspensions === undefined) return conversation.writer !== undefined;
  return suspensions.conversation?.isStored ?? true;
}

/** Whether the call runs although its tool asks. */
async function findUnasked(
  { dependencies: { agent, journal, logger, services }, identity }: Run,
  { always = false, shadow = false }: ToolApproval,
  { expiry, rules }: Pick<RequestedCall, 'expiry' | 'rules'>,
  { input, toolCallId, toolName }: ToolCallRecord,
): Promise<UnaskedCall | undefined> {
  const { user, userId } = identity;
  const conversationId = identity.conversationId ?? journal.suspensions?.conversationId;
  const calls = { agentId: agent.id, toolName, userId, conversationId };
  const approvers = rules?.approvers;
  if (shadow) {
    const executionId = journal.suspensions?.executionId;
    try {
      await services.recordShadow?.({ ...calls, toolCallId, executionId, approvers });
    } catch (error) {
      logger.error({ err: error, tool: toolName, toolCallId }, 'a call in shadow mode could not be recorded');
    }
    return { shadow };
  }
  if (!always) return undefined;
  if (asksSeveral(rules, expiry))
    throw new InvalidInputError('`always` is not possible with a `quorum`: several people must approve each call');
  const request = { ...calls, kind: 'tool' as const, requesterId: userId, approvers, input };
  const grant = await storageCall(journal, () => services.approvals.grants.findFor(calls, { rules, request, user }));
  return grant && { grantId: grant.id };
}

async function waitForApproval(
  run: Run,
  key: string,
  call: ToolCallRecord,
  requested: RequestedCall,
): Promise<CallPlan> {
  const { expiry, rules } = requested;
  const request = await requestApproval(run, key, call, requested);
  return { kind: 'wait', call: { ...call, ...request }, expiry, rules };
}

async function requestApproval(
  run: Run,
  key: string,
  call: ToolCallRecord,
  requested: RequestedCall,
): Promise<ApprovalRequest> {
  const { agent, journal, services } = run.dependencies;
  const { conversationId, user, userId } = run.identity;
  const { allowsAlways: mayAllow = false, approval, expiry, rules } = requested;
  if (approval !== undefined && approval !== false) return approval;
  const { suspensions } = journal;
  const delegated = await suspensions?.conversation?.requestFields(key);
  const subject = { ...call, agentId: agent.id, userId, conversationId, ...delegated?.subject };
  const place = delegated === undefined ? suspensions?.callAddress(key) : undefined;
  const { delegation } = delegated ?? {};
  const isInConversation = place === undefined;
  const limit = isInConversation && expiry ? conversationExpiry(expiry, services.clock.now(), rules) : undefined;
  const hasRules = rules !== undefined || (limit !== undefined && asksOthers(limit.rounds));
  // The request may ask again. It stays the same.
  const expiryMs = expiry && wholeExpiryMs(expiry);
  const request = services.approvals.request(subject, {
    delegation,
    place,
    expiryMs,
    hasRules,
    allowsAlways: mayAllow,
  });
  // The suspension of an execution has the rules and the time limit itself.
  if (isInConversation && hasRules) {
    const asked = limit === undefined ? { rules: rules ?? ofRequester } : openRound(limit.rounds, 0);
    const snapshot = user && (toJson(user) as JsonObject);
    await storageCall(journal, () => services.approvals.open(request, subject, { ...asked, user: snapshot }));
  }
  if (limit !== undefined && subject.conversationId !== undefined) {
    const { outcome, rounds } = limit;
    const asked = { conversationId: subject.conversationId, userId, user };
    const expiring = { ...request, agentId: subject.agentId, rounds, outcome };
    await storageCall(journal, async () => services.expireApproval?.(expiring, asked));
  }
  requested.approval = request;
  return request;
}

/** Reads the resume data of a suspended call. */
export function readApproval(data: JsonValue): Omit<ApprovalResponse, 'call'> {
  const { approved, input, reason } = typeof data === 'object' && data !== null && 'approved' in data ? data : {};
  return {
    approved: approved === true,
    reason: typeof reason === 'string' ? reason : undefined,
    ...(input !== undefined && { input }),
  };
}

/** The error of an approved call whose tool was removed or changed in the meantime. */
export function cannotRun(toolName: string): string {
  return `Tool "${toolName}" can no longer run this call`;
}
