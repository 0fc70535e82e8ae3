import { isDeepStrictEqual } from 'node:util';
import { HalyardError, InvalidInputError, type StoredApprovalRules, type User } from '@halyard/contracts';
import { copyJson } from '../../json/to-json.ts';
import type { ApprovalContext, Tool } from '../../tool/tool.ts';
import type { AgentServices } from '../agent-services.ts';
import type { AnswerableRequest } from './approval-rules.ts';
import type { Responder } from './approvals.ts';
import { acceptRules } from './expiry-rules.ts';

/** Arguments that a person gives in place of those of the model. */
export interface InputChange {
  /** Undefined if this process does not have it. */
  readonly tool: Tool | undefined;
  readonly input: unknown;
  /** Names the arguments in errors. */
  readonly at: string;
  /** Of the request, which the responder may answer. */
  readonly rules: StoredApprovalRules | undefined;
  readonly request: AnswerableRequest;
  readonly responder: Responder;
  /** Of the call. Its user is that of the run. */
  readonly context: ApprovalContext;
}

/**
 * Checks arguments that a person gives in place of those of the model. Whoever may not approve a
 * call with these arguments must not give them, either.
 *
 * @throws InvalidInputError for arguments that do not fit the tool, and where several must approve;
 * HalyardError (`OPERATION_NOT_ALLOWED`) where others must approve these arguments.
 */
export async function checkInputChange(
  { at, context, input, request, responder, rules, tool }: InputChange,
  { approvals }: Pick<AgentServices, 'approvals'>,
): Promise<void> {
  if (rules?.quorum !== undefined)
    throw new InvalidInputError(`${at} is not accepted: several people must approve the same arguments`);
  if (tool === undefined || tool.clientSide)
    throw new InvalidInputError(`${at} is not accepted: the tool "${context.toolName}" is not available here`);
  const checked = await tool.input.validate(input, at);
  if (!checked.ok) throw new InvalidInputError(checked.message);
  const asked = tool.approval !== false && (await tool.needsApproval(checked.value, context));
  if (asked === false || (typeof asked === 'object' && asked.shadow === true)) return;
  const wanted = typeof asked === 'object' ? acceptRules(asked, context.user) : undefined;
  const changed = { ...request, input, approvers: wanted?.approvers };
  if (wanted?.quorum !== undefined || !(await approvals.mayAnswer(wanted, changed, responder)))
    throw new HalyardError(
      'forbidden',
      'OPERATION_NOT_ALLOWED',
      `${at} is not accepted: others must approve these arguments`,
    );
}

/** The arguments of an approved call that differ from those of the model; undefined if none do. */
export function changedInput(
  { input: original }: { readonly input?: unknown },
  { approved, input }: { readonly approved: boolean; readonly input?: unknown },
): unknown {
  if (!approved || input === undefined || isDeepStrictEqual(copyJson(input), copyJson(original))) return undefined;
  return input;
}

/** A user as the rules of a tool see it. */
export function toApprovalContext(
  given: Omit<ApprovalContext, 'conversationId' | 'user' | 'userId'>,
  {
    conversationId,
    user,
    userId,
  }: {
    readonly conversationId: string | undefined;
    readonly user: User | undefined;
    readonly userId: string | undefined;
  },
): ApprovalContext {
  return {
    ...given,
    ...(user !== undefined && { user }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
  };
}
