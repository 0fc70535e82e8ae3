import type { JsonValue, StoredApprovalRules, StoredExpiry, User } from '@halyard/contracts';
import { copyJson, toJson } from '../../json/to-json.ts';
import type { ToolWorkflow } from '../../tool/tool.ts';
import type { SuspensionOptions } from '../../workflow/definition/step-context.ts';
import type { ApprovalSubject } from '../approvals/approvals.ts';
import { acceptExpiry, acceptRules } from '../approvals/expiry-rules.ts';

/**
 * A tool call that the run cannot continue without: it needs a person's approval, or its tool
 * suspended the workflow.
 */
export interface CallSuspension {
  /**
   * Key of the call in the run's journal: `step-0/approval/<toolCallId>` or
   * `step-0/tool/<toolCallId>`.
   */
  readonly key: string;
  readonly kind: 'approval' | 'step';
  readonly reason: string;
  readonly data?: JsonValue | undefined;
  /** Who may respond. Default: the user of the execution. */
  readonly rules?: StoredApprovalRules | undefined;
  /** How long the request waits. Default: for good. */
  readonly expiry?: StoredExpiry | undefined;
  /**
   * The resume data that the call ran with before it suspended again. Only newer data resumes a
   * suspension.
   */
  readonly resumptionId?: string | undefined;
}

/** The resume data of a suspension. */
export interface SuspensionResumeData {
  readonly data: JsonValue;
  /** Differs for each resumption; absent once the resume data is recorded. */
  readonly id?: string;
  /** Nobody has resumed it in time. */
  readonly isTimeout?: true;
}

/**
 * Lets a run suspend and continue later; a workflow passes it to the agents that it runs. A
 * suspended run ends with {@link RunSuspended}. Repeated from its journal once there is resume
 * data, it continues.
 */
export interface RunSuspensions {
  /** Undefined for a sub-agent in a conversation: its tools need no workflow to wait for a person. */
  readonly executionId: string | undefined;
  /** That of the agent that was called first: its sub-agents have no access to it. */
  readonly conversationId?: string | undefined;
  /** Present for a sub-agent in a conversation: the requests of its calls are made there. */
  readonly conversation?: DelegatedRequests | undefined;
  /** Identifies a call of this run among the calls of all executions; part of approval ids. */
  callAddress(key: string): string;
  /** The resume data of a suspension, unless its call has already used it. */
  findResumeData(key: string): SuspensionResumeData | undefined;
  /** The suspension of this call that has no resume data yet. */
  findPending(key: string): CallSuspension | undefined;
  /** Cancels the whole execution. */
  abort(reason: string): void;
}

/** Those of a run in a workflow. */
export type WorkflowSuspensions = RunSuspensions & { readonly executionId: string };

export function isOfWorkflow(suspensions: RunSuspensions | undefined): suspensions is WorkflowSuspensions {
  return suspensions?.executionId !== undefined;
}

/** How calls of sub-agents ask in the conversation of the agent that delegates. */
export interface DelegatedRequests {
  /** Whether others than the user of the run can see the conversation. */
  readonly isStored: boolean;
  /** @param key of the call in the journal of the delegation. */
  requestFields(key: string): Promise<DelegatedRequest>;
}

/** The fields of a request that differ from those of the sub-agent's own. */
export interface DelegatedRequest {
  readonly delegation: string;
  readonly subject: Pick<ApprovalSubject, 'agentId' | 'conversationId' | 'toolCallId'>;
}

/** Thrown by a run that cannot continue without resume data. Not a failure. */
export class RunSuspended extends Error {
  override readonly name: string = 'RunSuspended';
  readonly suspensions: readonly CallSuspension[];

  constructor(suspensions: readonly CallSuspension[]) {
    super('The run is suspended');
    this.suspensions = suspensions;
  }

  /** As thrown by the parent run, in whose call `key` this run was started. */
  within(key: string): RunSuspended {
    return new RunSuspended(this.suspensions.map((inner) => ({ ...inner, key: `${key}/${inner.key}` })));
  }
}

/** The suspensions of a sub-agent's run, whose keys start with the key of the parent's call. */
export function suspensionsWithin(parent: RunSuspensions, prefix: string): RunSuspensions {
  const { conversation, conversationId, executionId } = parent;
  return {
    executionId,
    conversationId,
    conversation: conversation && {
      isStored: conversation.isStored,
      requestFields: (key) => conversation.requestFields(`${prefix}/${key}`),
    },
    callAddress: (key) => parent.callAddress(`${prefix}/${key}`),
    findResumeData: (key) => parent.findResumeData(`${prefix}/${key}`),
    findPending: (key) => {
      const pending = parent.findPending(`${prefix}/${key}`);
      return pending && { ...pending, key };
    },
    abort: (reason) => parent.abort(reason),
  };
}

/**
 * The actions of one tool call on the workflow that it runs in. Its first `suspend` counts, even if
 * the tool catches the error that it throws.
 */
export class ToolSuspension implements ToolWorkflow {
  readonly executionId: string;
  readonly resumeData: JsonValue | undefined;
  /** Set when the tool has suspended. */
  requested: CallSuspension | undefined;
  /** Nobody has resumed the call in time. */
  readonly hasTimedOut: boolean;
  readonly #suspensions: WorkflowSuspensions;
  readonly #key: string;
  readonly #resumptionId: string | undefined;
  readonly #user: User | undefined;

  constructor(suspensions: WorkflowSuspensions, key: string, user: User | undefined) {
    this.#user = user;
    const resumption = suspensions.findResumeData(key);
    this.executionId = suspensions.executionId;
    this.resumeData = copyJson(resumption?.data);
    this.hasTimedOut = resumption?.isTimeout === true;
    this.#resumptionId = resumption?.id;
    this.#suspensions = suspensions;
    this.#key = key;
  }

  readonly suspend = (reason: string, data?: unknown, options: SuspensionOptions = {}): never => {
    const [rules, expiry] = [acceptRules(options, this.#user), acceptExpiry(options, this.#user)];
    this.requested ??= {
      key: this.#key,
      kind: 'step',
      reason,
      data: data === undefined ? undefined : toJson(data),
      ...(rules !== undefined && { rules }),
      ...(expiry !== undefined && { expiry }),
      resumptionId: this.#resumptionId,
    };
    throw new ToolInterruption('The tool suspended its workflow: do not catch this error');
  };

  readonly abort = (reason = 'aborted by a tool'): never => {
    this.#suspensions.abort(reason);
    throw new ToolInterruption('The tool aborted its workflow: do not catch this error');
  };
}

class ToolInterruption extends Error {}
