import { Agent, andAll, andThen, andWorkflow, createTool, createWorkflow } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';

/** A step that a test controls: it reports its start, and ends when the test opens it. */
export class Gate {
  readonly entered: Promise<AbortSignal>;
  readonly #open: (result: unknown) => void;
  readonly #opened: Promise<unknown>;
  readonly #enter: (signal: AbortSignal) => void;

  constructor() {
    const entered = Promise.withResolvers<AbortSignal>();
    const opened = Promise.withResolvers<unknown>();
    this.entered = entered.promise;
    this.#enter = entered.resolve;
    this.#opened = opened.promise;
    this.#open = opened.resolve;
  }

  open(result: unknown = 'through'): void {
    this.#open(result);
  }

  async pass(signal: AbortSignal): Promise<unknown> {
    this.#enter(signal);
    return this.#opened;
  }
}

const gates = new Map<string, Gate>();

/**
 * The gate of executions with the input `{ gate: name }`. Files that share a worker share it, so
 * each has names of its own.
 */
export function gateOf(name: string): Gate {
  const gate = gates.get(name) ?? new Gate();
  gates.set(name, gate);
  return gate;
}

/** Throws an error of another library, with a message that clients must not see. */
function failWithSecret(): unknown {
  return JSON.parse('password=hunter2');
}

const Named = Type.Object({ gate: Type.String() });
const Order = Type.Object({ total: Type.Number() });
const Answer = Type.Object({ by: Type.String() });

const sum = createWorkflow({
  id: 'sum',
  name: 'Sum',
  purpose: 'Adds',
  input: Type.Object({ a: Type.Number(), b: Type.Number() }),
  result: Type.Object({ sum: Type.Number() }),
})
  .andThen({ id: 'add', name: 'Add up', purpose: 'Does it', execute: ({ data }) => ({ sum: data.a + data.b }) })
  .andThen({ id: 'done', execute: ({ data }) => data });

/** Suspends for an approval. */
const approval = createWorkflow({
  id: 'approval',
  name: 'Approval',
  purpose: 'Asks a person',
  input: Order,
  suspendSchema: Order,
  resumeSchema: Answer,
  users: { replay: true, retry: true, rewind: true },
})
  .andThen({ id: 'price', execute: ({ data }) => ({ total: data.total * 2 }) })
  .andThen({
    id: 'approve',
    execute: ({ data, resumeData, suspend }) =>
      resumeData === undefined ? suspend('needs approval', { total: data.total }) : { ...data, by: resumeData.by },
  })
  .andThen({
    id: 'ship',
    execute: ({ data, setWorkflowState }) => {
      if (data.by === 'unknown') failWithSecret();
      setWorkflowState({ shipped: true });
      return data;
    },
  });

/** Two suspended branches. */
const both = createWorkflow({ id: 'both', name: 'Both', purpose: '' }).andAll({
  id: 'sides',
  steps: ['left', 'right'].map((id) =>
    andThen({ id, execute: ({ resumeData, suspend }) => resumeData ?? suspend(`${id} waits`) }),
  ),
});

const gated = createWorkflow({ id: 'gated', name: 'Gated', purpose: '', input: Named })
  .andThen({ id: 'hold', execute: ({ data, signal }) => gateOf(data.gate).pass(signal) })
  .andThen({ id: 'after', execute: ({ resumeData, data }) => resumeData ?? data });

const broken = createWorkflow({ id: 'broken', name: 'Broken', purpose: '' }).andThen({
  id: 'explode',
  execute: () => failWithSecret(),
});

const failedOnce = new Set<string>();
const flaky = createWorkflow({ id: 'flaky', name: 'Flaky', purpose: 'Succeeds when it is retried' }).andThen({
  id: 'call',
  execute: ({ state: { executionId } }) => {
    if (failedOnce.has(executionId)) return 'reached';
    failedOnce.add(executionId);
    return failWithSecret();
  },
});

const misfit = createWorkflow({ id: 'misfit', name: 'Misfit', purpose: '' }).andThen({
  id: 'shape',
  output: Order,
  // @ts-expect-error a text is no number
  execute: () => ({ total: 'much' }),
});

const quitter = createWorkflow({ id: 'quitter', name: 'Quitter', purpose: '' }).andThen({
  id: 'quit',
  execute: ({ abort }) => abort('no more'),
});

const sleeper = createWorkflow({ id: 'sleeper', name: 'Sleeper', purpose: '' }).andSleep({
  id: 'nap',
  durationMs: 86_400_000,
});

const child = createWorkflow({ id: 'child', name: 'Child', purpose: '' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('child waits'),
});

const parent = createWorkflow({ id: 'parent', name: 'Parent', purpose: '' })
  .andThen({ id: 'first', execute: () => 1 })
  .andWorkflow({ id: 'sub', workflow: child });

const lines = createWorkflow({ id: 'lines', name: 'Lines', purpose: '' })
  .andThen({ id: 'split', execute: () => ['a', 'b'] })
  .andForEach({
    id: 'each',
    step: andThen({
      id: 'check',
      execute: ({ data, resumeData, suspend }) => resumeData ?? (data === 'b' ? suspend('b?') : data),
    }),
  });

const talker = createWorkflow({ id: 'talker', name: 'Talker', purpose: '' })
  .andThen({
    id: 'say',
    execute: ({ writer }) => {
      writer.write({ type: 'custom-progress', percent: 50, seq: -1, executionId: 'forged', from: 'forged' });
      return 'hi';
    },
  })
  .andAgent({
    id: 'think',
    agent: new Agent({ id: 'thinker', model: scriptedModel({ text: ['well', ' done'] }) }),
    prompt: 'Answer',
  });

const refund = createTool({
  name: 'refund',
  description: 'Pays back',
  input: Order,
  needsApproval: true,
  execute: ({ total }) => `paid ${total}`,
});

/** Has an agent that requests an approval. */
const refunds = createWorkflow({ id: 'refunds', name: 'Refunds', purpose: '' }).andAgent({
  id: 'handle',
  prompt: 'Pay back',
  agent: new Agent({
    id: 'clerk',
    tools: [refund],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? 'Done.'
        : { toolCalls: [{ toolName: 'refund', toolCallId: 'c1', input: { total: 5 } }] },
    ),
  }),
});

const nested = createWorkflow({ id: 'nested', name: 'Nested', purpose: 'Shows its inside', input: Order })
  .andWhen({
    id: 'big',
    condition: ({ data }) => data.total > 1,
    step: andAll({
      id: 'parts',
      steps: [
        andThen({ id: 'part', input: Order, output: Order, resumeSchema: Answer, execute: ({ data }) => data }),
        andWorkflow({ id: 'call', workflow: child }),
      ],
    }),
  })
  .andSleep({ id: 'rest', durationMs: 1 });

export const workflows = [
  sum,
  approval,
  both,
  gated,
  broken,
  flaky,
  misfit,
  quitter,
  sleeper,
  child,
  parent,
  lines,
  talker,
  refunds,
  nested,
];

export interface WorkflowReply {
  readonly status: number;
  readonly code: string | null;
  readonly executionId: string | null;
  readonly retryAfter: string | null;
  readonly data: Record<string, unknown>;
  readonly error: unknown;
}

/** Sends a request to `/workflows`: GET without a body, POST with one. */
export async function requestWorkflows(
  origin: string,
  path: string,
  body?: unknown,
  headers: object = {},
): Promise<WorkflowReply> {
  const response = await fetch(`${origin}/workflows${path}`, {
    ...(body !== undefined && { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  const { data, error } = (await response.json()) as { data: Record<string, unknown>; error: unknown };
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    code: header('x-error-code'),
    executionId: header('x-execution-id'),
    retryAfter: header('retry-after'),
    data,
    error,
  };
}

/** The events of a stream, with their ids. */
export function framesIn(text: string): { readonly id: number | undefined; readonly event: Record<string, unknown> }[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map((frame) => {
      const [, id, data = 'null'] = /^(?:id: (\d+)\n)?data: (.*)$/.exec(frame) ?? [];
      return {
        id: id === undefined ? undefined : Number(id),
        event: JSON.parse(data) as Record<string, unknown>,
      };
    });
}
