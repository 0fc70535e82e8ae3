import { ok } from 'node:assert/strict';
import type { Storage } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow, type MayAnswer, type ToolContext } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { json, serve, type Served } from './serve.ts';

const consoleKey = 'the key of the console';
/** `kim:manager` is a user with a role. */
const provider = {
  type: 'names',
  verifyToken: (token: string) => {
    const [id = '', role] = token.split(':');
    return { id, roles: role === undefined ? [] : [role] };
  },
};

export const refunds: unknown[] = [];

/** Up to 300 cents the user approves, then a manager, and from 600 on each call needs an approval. */
const refund = createTool({
  name: 'refund',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: ({ cents }) => {
    if (cents > 1_000) return { approvers: ['role:manager'], quorum: 2 };
    if (cents > 600) return true;
    return cents > 300 ? { approvers: ['role:manager'], always: true } : { always: true };
  },
  execute: ({ cents }, { userId }: ToolContext) => {
    refunds.push([userId, cents]);
    return `refunded ${cents}`;
  },
});
const notify = createTool({
  name: 'notify',
  description: '',
  input: Type.Object({ cents: Type.Integer() }),
  needsApproval: ({ cents }) => ({ approvers: ['role:manager'], shadow: cents < 1_000 }),
  execute: ({ cents }, { userId }: ToolContext) => {
    refunds.push([userId, cents]);
    return 'notified';
  },
});

/** Calls the tool that the newest text names, such as `refund 200`. */
const act =
  (toolName: string): ScriptedReply =>
  ({ prompt }) => {
    if (prompt.at(-1)?.role === 'tool') return 'Done.';
    const text = JSON.stringify(prompt.filter(({ role }) => role === 'user').at(-1)?.content);
    const [, cents = '0'] = /(\d+)/.exec(text) ?? [];
    if (toolName.startsWith('ask_')) return { toolCalls: [{ toolName, input: { task: `refund ${cents}` } }] };
    return {
      toolCalls: [{ toolName: text.includes('notify') ? 'notify' : toolName, input: { cents: Number(cents) } }],
    };
  };

const clerk = new Agent({ id: 'clerk', model: scriptedModel(act('refund')), tools: [refund, notify] });
const boss = new Agent({ id: 'boss', model: scriptedModel(act('ask_clerk')), subAgents: [clerk] });
const buy = (id: string, agent: Agent) =>
  createWorkflow({ id, input: Type.Object({ say: Type.String() }) }).andAgent({
    id: 'ask',
    agent,
    prompt: ({ data }) => data.say,
  });

export type Json = Readonly<Record<string, unknown>>;
interface Approval extends Json {
  readonly id: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly data: Json;
}

/** A server whose users refund. */
export class RefundServer {
  readonly served: Served;

  private constructor(served: Served) {
    this.served = served;
  }

  static async start(storage: Storage, mayAnswer?: MayAnswer): Promise<RefundServer> {
    const served = await serve([], {
      agents: [clerk, boss],
      workflows: [buy('buy', clerk), buy('office', boss), createWorkflow({ id: 'sign' }).andThen(signing)],
      storage,
      memory: createMemory({ storage }),
      auth: { provider, consoleKey, consoleRoles: { auditor: { level: 'operator', agents: ['boss'] } } },
      secret: 'a secret that is long enough for a test',
      mayAnswer,
    });
    return new RefundServer(served);
  }

  /** @param who a token, or `operator` for the console key. */
  async send(path: string, who: string, body?: object, method?: string): Promise<Reply> {
    const { headers, ...init } = body === undefined ? { headers: {} } : json(body);
    const credentials =
      who === 'operator' ? { 'x-console-access-key': consoleKey } : { authorization: `Bearer ${who}` };
    const response = await fetch(this.served.origin + path, {
      ...init,
      ...(method !== undefined && { method }),
      headers: { ...headers, ...credentials },
    });
    const text = await response.text();
    const { data = {} } = text.startsWith('{') ? (JSON.parse(text) as { data?: Json }) : {};
    return { status: response.status, text, data };
  }

  /** A message of a user. */
  async chat(
    say: string,
    { agent = 'clerk', conversationId = 'c1', options = {}, route = 'text', user = 'ada' } = {},
  ): Promise<Reply> {
    const input =
      route === 'chat' ? [{ id: say.replace(' ', '-'), role: 'user', parts: [{ type: 'text', text: say }] }] : say;
    return this.send(`/agents/${agent}/${route}`, user, { input, options: { conversationId, ...options } });
  }

  async waiting(who = 'operator'): Promise<readonly Approval[]> {
    const { data } = await this.send(who === 'operator' ? '/approvals' : '/api/approvals', who);
    return data['approvals'] as readonly Approval[];
  }

  /** The newest request that waits. */
  async asked(): Promise<Approval> {
    const [asked] = await this.waiting();
    ok(asked);
    return asked;
  }

  /** The newest grant. */
  async granted(): Promise<Approval> {
    const [granted] = await this.grants();
    ok(granted);
    return granted;
  }

  /** Answers the newest request that waits. */
  async answer(who: string, body: object): Promise<Reply> {
    return this.answerTo(await this.asked(), who, body);
  }

  answerTo({ conversationId, executionId, id }: Approval, who: string, body: object): Promise<Reply> {
    const place = executionId === null ? { conversationId } : { executionId };
    return this.send(`${who === 'operator' ? '' : '/api'}/approvals/answer`, who, { id, ...place, ...body });
  }

  always(who: string, scope: string, more: object = {}): Promise<Reply> {
    return this.answer(who, { approved: true, always: { scope, ...more } });
  }

  async grants(who = 'operator'): Promise<readonly Approval[]> {
    const { data } = await this.send(`${who === 'operator' ? '' : '/api'}/approvals/grants`, who);
    return data['grants'] as readonly Approval[];
  }

  revoke(id: string, who: string): Promise<Reply> {
    return this.send(`${who === 'operator' ? '' : '/api'}/approvals/grants/${id}`, who, undefined, 'DELETE');
  }
}

const signing = {
  id: 'sign',
  execute: ({ suspend }: { readonly suspend: (reason: string) => never }): never => suspend('Sign'),
};
