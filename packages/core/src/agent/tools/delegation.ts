import { HalyardError, type JsonObject, type JsonValue } from '@halyard/contracts';
import { copyJson, toJson } from '../../json/to-json.ts';
import { defaultExecutionValueBytes } from '../agent-services.ts';
import { ofRequester, readExpiry } from '../approvals/approvals.ts';
import { type AnsweredDelegation, delegationRef, type StoredDelegation } from '../approvals/delegated-calls.ts';
import { shownRequest } from '../approvals/shown-request.ts';
import { type AgentJournal, journalWithin, storageCall } from '../loop/journal.ts';
import type { Run } from '../loop/run.ts';
import type { CallSuspension, RunSuspended } from '../loop/suspensions.ts';
import type { ToolCallResult } from '../run-result.ts';
import type { Usage } from '../usage.ts';

/**
 * Thrown by a call in a conversation whose sub-agents wait for approvals. Not a failure: the run ends
 * its step, and continues with the responses.
 */
export class CallWaits extends Error {
  override readonly name: string = 'CallWaits';
  /** The calls of the sub-agents, as the conversation shows them. */
  readonly calls: readonly ToolCallResult[];

  constructor(calls: readonly ToolCallResult[]) {
    super('The call waits for approvals');
    this.calls = calls;
  }
}

/** What clients see as the output of the call while it waits. */
export const waitingText = 'Waits for the approval of a person.';

/**
 * One call of a run in a conversation that may start sub-agents. Records what they do, so that they
 * continue when people have responded: in a later run, which may be one of another process.
 */
export class Delegation {
  /** Of the sub-agent's run. */
  readonly journal: AgentJournal;
  readonly #run: Run;
  readonly #call: StoredDelegation['call'];
  readonly #revision: number;
  readonly #entries: Map<string, unknown>;
  readonly #recorder: AgentJournal;
  #id: Promise<string> | undefined;

  /** @param answered the delegation that the call continues. */
  constructor(run: Run, key: string, call: StoredDelegation['call'], answered?: AnsweredDelegation) {
    const { conversation, dependencies, identity } = run;
    const { conversationId } = identity;
    const { input, toolCallId, toolName } = call;
    this.#run = run;
    this.#call = { toolCallId, toolName, input };
    this.#revision = answered === undefined ? 0 : answered.revision + 1;
    this.#entries = new Map(Object.entries(answered?.entries ?? {}));
    this.#recorder = journalWithin(dependencies.journal, key);
    if (answered !== undefined) this.#id = Promise.resolve(answered.id);
    const earlier = new Set(this.#entries.keys());
    const responses = new Map(answered?.responses.map(({ call: asked, ...response }) => [asked.toolCallId, response]));
    const idOf = (innerKey: string): string => `${toolCallId}/${innerKey}`;
    this.journal = {
      record: (innerKey, work) => this.#record(innerKey, work),
      isDelivered: (innerKey) => earlier.has(innerKey) || this.#recorder.isDelivered?.(innerKey) === true,
      // The message that the run continues has the events of earlier runs.
      ...(answered === undefined && this.#recorder.repeatsEvents === true && { repeatsEvents: true }),
      suspensions: {
        executionId: undefined,
        conversationId,
        conversation: {
          isStored: conversation.writer !== undefined,
          requestFields: async (innerKey) => ({
            delegation: delegationRef(await this.#delegationId(), this.#revision),
            subject: { agentId: dependencies.agent.id, conversationId, toolCallId: idOf(innerKey) },
          }),
        },
        callAddress: idOf,
        findResumeData: (innerKey) => {
          const data = this.#entries.get(innerKey) ?? responses.get(idOf(innerKey));
          return data === undefined ? undefined : { data: toJson(data) };
        },
        findPending: () => undefined,
        abort: () => {},
      },
    };
  }

  /**
   * Stores the delegation until people respond.
   *
   * @throws HalyardError (`TOOL_FAILED`) if it is too large.
   */
  async wait({ suspensions }: RunSuspended, usage: Usage): Promise<CallWaits> {
    const { agent, journal, services } = this.#run.dependencies;
    const { conversationId, userId } = this.#run.identity;
    const asked = suspensions.map((suspension) => ({ ...suspension, ...readRequest(suspension) }));
    const delegation = {
      call: this.#call,
      entries: Object.fromEntries([...this.#entries].map(([key, value]) => [key, withoutData(value)])),
      usage,
      askedBy: Object.fromEntries(asked.map(({ agentId, approvalId }) => [approvalId, agentId])),
    };
    const json = toJson(delegation) as JsonObject;
    const greatest = services.executionValueBytes ?? defaultExecutionValueBytes;
    if (Buffer.byteLength(JSON.stringify(json)) > greatest)
      throw new HalyardError(
        'failed',
        'TOOL_FAILED',
        `Tool "${this.#call.toolName}" cannot wait for an approval: its sub-agents have done more than ${greatest} bytes`,
      );
    const approvalId = delegationRef(await this.#delegationId(), this.#revision);
    // Requests that nobody answers expire together with it.
    const { signature } = asked.reduce((one, other) => (expiryOf(other) > expiryOf(one) ? other : one));
    await storageCall(journal, () =>
      services.approvals.open(
        { approvalId, signature },
        { agentId: agent.id, conversationId, userId },
        // Users find the requests, not the delegation.
        { delegation: json, rules: ofRequester, user: undefined },
      ),
    );
    return new CallWaits(asked.map((request) => this.#shown(request)));
  }

  /** The call as one of the conversation. */
  #shown(asked: AskedCall): ToolCallResult {
    const { agentId, approvalId, input, key, signature, toolName } = asked;
    const parentToolCallId = this.#call.toolCallId;
    const toolCallId = `${parentToolCallId}/${key}`;
    const halyard = { agentId, parentToolCallId, ...shownRequest(asked, asked) };
    return { toolCallId, toolName, input, approvalId, signature, dynamic: true, providerMetadata: { halyard } };
  }

  async #record<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    if (this.#entries.has(key)) return copyJson(this.#entries.get(key) as JsonValue) as Value;
    const value = await this.#recorder.record(key, work);
    this.#entries.set(key, value);
    return value;
  }

  #delegationId(): Promise<string> {
    const { ids } = this.#run.dependencies.services;
    return (this.#id ??= this.#recorder.record('delegation', async () => ids.next()));
  }
}

interface ApprovalFields {
  readonly agentId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  readonly approvalId: string;
  readonly signature: string;
}

type AskedCall = CallSuspension & ApprovalFields;

/** In a conversation, only approvals suspend. */
function readRequest({ data }: CallSuspension): ApprovalFields {
  return data as JsonObject & ApprovalFields;
}

function expiryOf({ signature }: ApprovalFields): number {
  return readExpiry(signature) ?? 0;
}

/** Data that a tool has written is part of the message already. */
function withoutData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('ok' in value) || !('data' in value)) return value;
  const { data: _, ...rest } = value;
  return rest;
}
