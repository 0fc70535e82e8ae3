import type { Storage } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../agent/agent.ts';
import type { Jsonify } from '../json/jsonify.ts';
import { createWorkflow } from './create-workflow.ts';
import type { Flow, StepContext, StepData } from './definition/step-context.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import type { JoinedExecution } from './interpreter/step/join-executions.ts';
import { andAgent } from './steps/and-agent.ts';
import { andAll } from './steps/and-all.ts';
import { andBranch } from './steps/and-branch.ts';
import { andDoUntil } from './steps/and-do-until.ts';
import { andGuardrail } from './steps/and-guardrail.ts';
import { andMap } from './steps/and-map.ts';
import { andRace } from './steps/and-race.ts';
import { andSleep } from './steps/and-sleep.ts';
import type { StartedExecution } from './steps/and-start.ts';
import { andTap } from './steps/and-tap.ts';
import { andThen } from './steps/and-then.ts';
import { andWhen } from './steps/and-when.ts';
import { andWorkflow } from './steps/and-workflow.ts';

declare const agent: Agent;
const Order = Type.Object({ id: Type.String(), items: Type.Array(Type.Number()) });
interface Order {
  id: string;
  items: number[];
}
const order = createWorkflow({ id: 'order', input: Order });

// The data of a step is the output of the one before, as JSON.
class Money {
  readonly cents: number = 5;
  readonly #secret: number = 1;
  get euros(): number {
    return this.cents / 100 + this.#secret;
  }
  add(): number {
    return 1;
  }
}
order
  .andThen({ id: 'a', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<Order>() })
  .andThen({
    id: 'b',
    execute: async () => ({ at: new Date(), maybe: undefined as string | undefined, money: new Money() }),
  })
  .andThen({
    id: 'c',
    execute: ({ data }) => {
      expectTypeOf(data.at).toEqualTypeOf<string>();
      expectTypeOf(data.maybe).toEqualTypeOf<string | undefined>();
      expectTypeOf(data.money.cents).toEqualTypeOf<number>();
      // @ts-expect-error -- methods are gone
      return data.money.add;
    },
  })
  .andThen({ id: 'd', execute: () => [new Date(), undefined, 'x'] as const })
  .andThen({ id: 'e', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<readonly [string, null, 'x']>() })
  .andThen({ id: 'f', execute: () => {} })
  .andThen({ id: 'g', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<null>() });
expectTypeOf<Jsonify<{ at: Date; n: bigint; run: () => void; map: Map<string, string> }>>().toEqualTypeOf<{
  at: string;
}>();

// Steps that pass data on leave its type as it is; a condition adds its step's output.
order
  .andTap({ id: 'tap', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<Order>() })
  .andSleep({ id: 'sleep', durationMs: ({ data }) => data.items.length })
  .andSleepUntil({ id: 'until', date: ({ data }) => data.id })
  .andGuardrail({ id: 'guard', guardrails: [{ name: 'one', check: (data) => ({ action: 'modify', data }) }] })
  .andWhen({
    id: 'when',
    condition: ({ data }) => data.id === '',
    step: andThen({ id: 'w', execute: ({ data }) => data.items.length }),
  })
  .andThen({ id: 'after', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<Order | number>() });
// @ts-expect-error -- a guardrail keeps the type of the data
order.andGuardrail({ id: 'guard', guardrails: [{ name: 'one', check: () => ({ action: 'modify', data: 1 }) }] });
// @ts-expect-error -- an order has no such field
order.andSleep({ id: 'sleep', durationMs: ({ data }) => data.nothing });

// Side by side: a tuple of all, a union of the first, null where a branch was not taken.
order
  .andAll({
    id: 'all',
    steps: [
      andThen({ id: 'all-1', execute: ({ data }) => data.id }),
      andThen({ id: 'all-2', execute: ({ data }) => data.items }),
      andAll({ id: 'all-3', steps: [andThen({ id: 'all-4', execute: ({ data }) => ({ at: new Date(data.id) }) })] }),
    ],
  })
  .andThen({
    id: 'tuple',
    execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<[string, number[], [{ at: string }]]>(),
  });
order
  .andRace({
    id: 'race',
    steps: [
      andThen({ id: 'r1', execute: ({ data }) => data.id }),
      andThen({ id: 'r2', execute: ({ data }) => data.items }),
    ],
  })
  .andThen({ id: 'union', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<string | number[]>() });
order
  .andBranch({
    id: 'branch',
    branches: [
      { condition: ({ data }) => data.id === '', step: andThen({ id: 'b1', execute: ({ data }) => data.id }) },
      { condition: () => true, step: andThen({ id: 'b2', execute: ({ data }) => data.items }) },
    ],
  })
  .andThen({
    id: 'nullable',
    execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<[string | null, number[] | null]>(),
  });

// Loops take their own output.
createWorkflow({ id: 'count', input: Type.Number() })
  .andDoWhile({
    id: 'while',
    step: andThen({ id: 'add', execute: ({ data }) => data + 1 }),
    condition: ({ data }) => data < 3,
  })
  .andDoUntil({
    id: 'until',
    step: andThen({ id: 'more', execute: ({ data }) => data + 1 }),
    condition: ({ data }) => data > 9,
  })
  .andThen({ id: 'end', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number>() });
createWorkflow({ id: 'count', input: Type.Number() }).andDoWhile({
  id: 'while',
  // @ts-expect-error -- the next round could not take it
  step: andThen({ id: 'text', execute: ({ data }: { readonly data: number }) => String(data) }),
  condition: () => true,
});

// Maps give their fields; agents text, or what their schema says; sub-workflows their result.
order
  .andMap({
    id: 'map',
    map: {
      made: ({ data }) => ({ at: new Date(data.id) }),
      later: async ({ data }) => data.items,
      fixed: { value: 5 },
      place: { from: 'data', path: 'items' },
    },
  })
  .andThen({
    id: 'mapped',
    execute: ({ data }) =>
      expectTypeOf(data).toEqualTypeOf<{ made: { at: string }; later: number[]; fixed: 5; place: number[] }>(),
  });
order
  .andAgent({ id: 'text', agent, prompt: ({ data }) => `Thank for ${data.id}` })
  .andThen({ id: 'is-text', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<string>() })
  .andAgent({ id: 'object', agent, prompt: 'Hello', schema: z.object({ at: z.date() }) })
  .andThen({ id: 'is-object', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ at: string }>() });
// @ts-expect-error -- an order has no such field
order.andAgent({ id: 'text', agent, prompt: ({ data }) => data.nothing });
const child = createWorkflow({ id: 'child', input: Type.Object({ n: Type.Number() }) }).andThen({
  id: 'c',
  execute: ({ data }) => data.n,
});
order
  .andWorkflow({ id: 'sub', workflow: child, input: ({ data }) => ({ n: data.items.length }) })
  .andThen({ id: 'subbed', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number>() });
createWorkflow({ id: 'fits', input: Type.Object({ n: Type.Number(), more: Type.String() }) }).andWorkflow({
  id: 'sub',
  workflow: child,
});

// Wrong data between steps does not compile.
const takesText = andThen({ id: 'text', execute: ({ data }: { readonly data: string }) => data.length });
// @ts-expect-error -- the order is no text
order.andAll({ id: 'all', steps: [takesText] });
// @ts-expect-error -- the order is no text
order.andRace({ id: 'race', steps: [takesText] });
// @ts-expect-error -- the order is no text
order.andWhen({ id: 'when', condition: () => true, step: takesText });
// @ts-expect-error -- the order is no text
order.andBranch({ id: 'branch', branches: [{ condition: () => true, step: takesText }] });
// @ts-expect-error -- the items are no texts
createWorkflow({ id: 'w', input: Type.Array(Type.Number()) }).andForEach({ id: 'each', step: takesText });
const deep = andRace({ id: 'race', steps: [andWhen({ id: 'when', condition: () => true, step: takesText })] });
// @ts-expect-error -- the order is no text, deep inside either
order.andAll({ id: 'all', steps: [deep] });
// @ts-expect-error -- the sub-workflow needs a number
order.andWorkflow({ id: 'sub', workflow: child, input: ({ data }) => ({ n: data.id }) });
// @ts-expect-error -- the order does not fit the input of the sub-workflow
order.andWorkflow({ id: 'sub', workflow: child });
// @ts-expect-error -- a number has no such field
order.andThen({ id: 'a', execute: () => 1 }).andThen({ id: 'b', execute: ({ data }) => data.id });

// The types in all steps, also nested ones, come from the schemas of the workflow.
const typed = createWorkflow({
  id: 'typed',
  input: z.object({ n: z.string().transform(Number) }),
  suspendSchema: Type.Object({ total: Type.Number() }),
  resumeSchema: z.object({ by: z.string() }),
  state: Type.Object({ count: Type.Number(), seen: Type.Optional(Type.Boolean()) }),
});
typed
  .andThen({
    id: 'a',
    execute: ({ data, getStepData, input, resumeData, setWorkflowState, suspend, workflowState }) => {
      expectTypeOf(data).toEqualTypeOf<{ n: number }>();
      expectTypeOf(input).toEqualTypeOf<{ n: number }>();
      expectTypeOf(resumeData).toEqualTypeOf<{ by: string } | undefined>();
      expectTypeOf(workflowState).toEqualTypeOf<{ count: number; seen?: boolean }>();
      expectTypeOf(getStepData('x')).toEqualTypeOf<StepData | undefined>();
      setWorkflowState({ seen: true });
      setWorkflowState((state) => ({ count: state.count + 1 }));
      // @ts-expect-error -- not a field of the state
      setWorkflowState({ other: 1 });
      // @ts-expect-error -- of another type
      setWorkflowState({ count: 'x' });
      // @ts-expect-error -- not the data of a suspended step
      if (workflowState.seen === true) suspend('ask', { total: 'x' });
      return resumeData ?? suspend('ask', { total: data.n });
    },
  })
  .andAll({
    id: 'all',
    steps: [
      andThen({
        id: 'b',
        execute: ({ data, resumeData }) => [
          expectTypeOf(data).toEqualTypeOf<{ by: string }>(),
          expectTypeOf(resumeData).toEqualTypeOf<{ by: string } | undefined>(),
        ],
      }),
      andRace({
        id: 'race',
        steps: [
          andTap({
            id: 'c',
            execute: ({ workflowState }) => expectTypeOf(workflowState.count).toEqualTypeOf<number>(),
          }),
        ],
      }),
    ],
  });
const plain = { type: 'object', properties: { n: { type: 'number' } } } as const;
createWorkflow({ id: 'plain', input: plain, resumeSchema: plain }).andThen({
  id: 'a',
  execute: ({ data, input, resumeData, workflowState }) => {
    expectTypeOf(data).toEqualTypeOf<unknown>();
    expectTypeOf(input).toEqualTypeOf<unknown>();
    expectTypeOf(resumeData).toEqualTypeOf<unknown>();
    expectTypeOf(workflowState).toEqualTypeOf<Record<string, unknown>>();
  },
});

// A separate step declares its needs of its workflow.
interface Shared extends Flow {
  readonly state: { readonly count: number };
  readonly resume: { readonly by: string };
}
const approve = andThen({
  id: 'approve',
  execute: ({ data, resumeData, suspend, workflowState }: StepContext<{ readonly by: string }, Shared>) =>
    resumeData?.by ?? (workflowState.count > 1 ? data.by : suspend('ask')),
});
typed.andThen({ id: 'a', execute: () => ({ by: 'x' }) }).andAll({ id: 'all', steps: [approve] });
createWorkflow({ id: 'other' })
  .andThen({ id: 'a', execute: () => ({ by: 'x' }) })
  // @ts-expect-error -- this workflow has no such state
  .andAll({ id: 'all', steps: [approve] });

// Its input, and its result.
expectTypeOf<Parameters<typeof typed.run>[0]>().toEqualTypeOf<{ n: string }>();
const finished = typed.andThen({ id: 'a', execute: () => ({ at: new Date() }) });
expectTypeOf<Awaited<ReturnType<typeof finished.run>>['result']>().toEqualTypeOf<{ at: string } | null>();
expectTypeOf<Awaited<ReturnType<typeof finished.wait>>['result']>().toEqualTypeOf<{ at: string } | null>();
// @ts-expect-error: a wait lasts until the execution is idle, or has ended.
void finished.wait('id', { until: 'done' });
// @ts-expect-error -- not its input
void typed.run({ n: 1 });

// Steps by themselves, without a workflow around.
expectTypeOf(andThen({ id: 'x', execute: () => new Date() })['~types']).toEqualTypeOf<
  ((data: unknown, flow: Flow) => string) | undefined
>();
andDoUntil({
  id: 'loop',
  step: andThen({ id: 'x', execute: ({ data }: { readonly data: number }) => data }),
  condition: ({ data }) => data > 1,
});
andGuardrail({
  id: 'guard',
  guardrails: [{ name: 'one', check: (data: string) => ({ action: 'modify', data: data.trim() }) }],
});
andSleep({ id: 'nap', durationMs: ({ data }: { readonly data: number }) => data });
andAgent({ id: 'agent', agent, prompt: ({ data }: { readonly data: string }) => data });
andWorkflow({ id: 'sub', workflow: child });
const checks = andAll({
  id: 'all',
  steps: [takesText, andThen({ id: 'more', execute: ({ data }: { readonly data: string }) => [data] })],
});
expectTypeOf(checks['~types']).toEqualTypeOf<((data: string, flow: Flow) => [number, string[]]) | undefined>();
order.andThen({ id: 'a', execute: () => 'x' }).andAll({ id: 'outer', steps: [checks] });
// @ts-expect-error -- the order is no text
order.andAll({ id: 'outer', steps: [checks] });
const first = andRace({ id: 'race', steps: [takesText] });
expectTypeOf(first['~types']).toEqualTypeOf<((data: string, flow: Flow) => number) | undefined>();
const chosen = andBranch({
  id: 'branch',
  branches: [{ condition: ({ data }: { readonly data: string }) => data === '', step: takesText }],
});
expectTypeOf(chosen['~types']).toEqualTypeOf<((data: string, flow: Flow) => [number | null]) | undefined>();
order
  .andAll({ id: 'all', steps: [andMap({ id: 'map', map: { id: ({ data }) => data.id } })] })
  .andThen({ id: 'mapped', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<[{ id: string }]>() });
order.schedule({ cron: '@daily', input: { id: '1', items: [2] } }).andThen({ id: 'scheduled', execute: () => 'x' });
// @ts-expect-error -- items are numbers
order.schedule({ cron: '@daily', input: { id: '1', items: ['two'] } });

// A step is not the options of one, also where it has all of their fields.
const one = andThen({ id: 'one', execute: () => 1 });
// @ts-expect-error -- the options, not a step
order.andThen(one);
// @ts-expect-error -- the options, not a step
order.andAll(andAll({ id: 'all', steps: [one] }));
// @ts-expect-error -- the options, not a step
order.andRace(andRace({ id: 'race', steps: [one] }));
// @ts-expect-error -- the options, not a step
andAll(andAll({ id: 'all', steps: [one] }));

// `catch` receives the data and the error; the output is that of either step.
order
  .andTry({
    id: 'safe',
    step: andThen({ id: 'charge', execute: ({ data }: StepContext<Order>) => ({ paid: data.items.length }) }),
    catch: andThen({
      id: 'waive',
      execute: ({ data }) => {
        expectTypeOf(data.data).toEqualTypeOf<Order>();
        expectTypeOf(data.error.message).toBeString();
        return 'waived' as const;
      },
    }),
    finally: andThen({
      id: 'tidy',
      execute: ({ data }) => {
        expectTypeOf(data).toEqualTypeOf<Order>();
      },
    }),
  })
  .andThen({
    id: 'after-try',
    execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ paid: number } | 'waived'>(),
  });
order
  .andTry({
    id: 'tidied',
    step: andThen({ id: 'count', execute: () => 5 }),
    finally: andThen({ id: 'sweep', execute: () => 'x' }),
  })
  .andThen({ id: 'after-finally', execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<number>() });

// Code knows the data and the types of its calls; a wait for an event may return null.
order
  .andRun({
    id: 'code',
    run: async ({ data, sleep, step, waitForEvent }) => {
      expectTypeOf(data).toEqualTypeOf<Order>();
      const at = await step('at', (context) => {
        expectTypeOf(context.data).toEqualTypeOf<Order>();
        return { at: new Date() };
      });
      expectTypeOf(at).toEqualTypeOf<{ at: string }>();
      expectTypeOf(sleep('nap', 5)).resolves.toEqualTypeOf<void>();
      const paid = await waitForEvent('paid', { event: 'paid', schema: Type.Object({ amount: Type.Number() }) });
      expectTypeOf(paid).toEqualTypeOf<{ amount: number } | null>();
      // @ts-expect-error -- a step in code cannot be undone
      await step('no-options', () => 1, { compensate: () => {} });
      return { on: new Date(), amount: paid === null ? 0 : paid.amount };
    },
  })
  .andThen({
    id: 'after-code',
    execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ on: string; amount: number }>(),
  });

// The output of a wait for an event is its payload, or null.
order
  .andWaitForEvent({
    id: 'paid',
    event: 'order.paid',
    key: ({ data }) => {
      expectTypeOf(data).toEqualTypeOf<Order>();
      return 'o-1';
    },
    schema: Type.Object({ amount: Type.Number() }),
  })
  .andThen({
    id: 'after-paid',
    execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ amount: number } | null>(),
  });

// The input of a started workflow is checked; its output is read as JSON.
const counted = createWorkflow({ id: 'counted', input: Type.Number() });
order
  .andStart({ id: 'start', workflow: counted, input: ({ data }) => data.items.length })
  .andJoin({ id: 'join' })
  .andThen({
    id: 'after-join',
    execute: ({ data }) => expectTypeOf(data[0]?.status).toEqualTypeOf<JoinedExecution['status'] | undefined>(),
  });
// @ts-expect-error -- the workflow takes a number
order.andStart({ id: 'start', workflow: counted, input: ({ data }) => data.id });
// @ts-expect-error -- the workflow takes a number, and the data is an order
order.andStart({ id: 'start', workflow: counted });
order.andThen({
  id: 'again',
  execute: ({ continueAsNew, input }) => {
    expectTypeOf(continueAsNew(input)).toBeNever();
  },
});

// In code, too; it starts and joins the inputs and results of the workflows.
order.andRun({
  id: 'fan-out',
  run: async ({ data, join, sleepUntil, start }) => {
    const started = await start('count', counted, data.items.length, { metadata: { by: 'code' } });
    expectTypeOf(started).toEqualTypeOf<StartedExecution>();
    expectTypeOf(await join('both', [started])).toEqualTypeOf<readonly JoinedExecution[]>();
    expectTypeOf(sleepUntil('later', new Date())).resolves.toEqualTypeOf<void>();
    // @ts-expect-error -- the workflow takes a number
    await start('wrong', counted, data.id);
  },
});

// The types of published events, retries and waits. The result of a retry has the type of the
// workflow's.
declare const runtime: WorkflowRuntime;
expectTypeOf(runtime.publish({ name: 'order.paid', key: 'o-1', payload: { amount: 3 } })).resolves.toEqualTypeOf<{
  readonly eventId: string;
  readonly delivered: number;
}>();
// @ts-expect-error -- an event has a name
void runtime.publish({ key: 'o-1' });
const confirmed = order.andThen({ id: 'confirm', execute: () => ({ ok: true }) });
expectTypeOf((await confirmed.retry('e-1', { runtime, until: 'ended' })).result).toEqualTypeOf<{
  ok: boolean;
} | null>();
void confirmed.run({ id: '1', items: [2] }, { priority: 10, startAfterMs: 5, until: 'ended' });
// @ts-expect-error -- it ends or is idle
void confirmed.run({ id: '1', items: [2] }, { until: 'suspended' });
createWorkflow({ id: 'urgent', priority: 10 });
// @ts-expect-error -- a priority is a number
createWorkflow({ id: 'urgent', priority: 'high' });

// A wait for an answer can have a time limit.
order.andThen({ id: 'ask', execute: ({ suspend }) => suspend('why', undefined, { expiryMs: 5 }) });
// @ts-expect-error -- in milliseconds
order.andThen({ id: 'ask', execute: ({ suspend }) => suspend('why', undefined, { expiryMs: '5 min' }) });

// A compensation receives its step's output as JSON, and cannot end the workflow.
order.andThen({
  id: 'pay',
  execute: () => ({ at: new Date() }),
  compensate: (context) => {
    expectTypeOf(context.data).toEqualTypeOf<{ at: string }>();
    expectTypeOf(context.input).toEqualTypeOf<Order>();
    // @ts-expect-error -- the workflow is already ending
    context.bail();
  },
});

// The key of a limit is computed from the parsed input.
createWorkflow({ id: 'limited', input: Order, concurrency: { limit: 1, key: ({ input }) => input.id } });
createWorkflow({ id: 'limited', concurrency: { limit: 1, key: ({ context }) => String(context['tenant']) } });
// @ts-expect-error a key is a string
createWorkflow({ id: 'limited', input: Order, concurrency: { limit: 1, key: ({ input }) => input.items } });
// @ts-expect-error a limit is required
createWorkflow({ id: 'limited', concurrency: { key: () => '' } });

// It may contain the user, who is not always known.
createWorkflow({ id: 'limited', concurrency: { limit: 1, key: ({ userId }) => userId ?? '' } });
// @ts-expect-error the user may be unknown
createWorkflow({ id: 'limited', concurrency: { limit: 1, key: ({ userId }) => userId } });

// So are the keys of the rules for starts.
createWorkflow({ id: 'ruled', input: Order, throttle: { limit: 1, periodMs: 1, key: ({ input }) => input.id } });
createWorkflow({ id: 'ruled', input: Order, singleton: { onBusy: 'skip', key: ({ input }) => input.id } });
createWorkflow({ id: 'ruled', input: Order, debounce: { delayMs: 1, key: ({ input }) => input.id } });
// @ts-expect-error neither skips nor cancels
createWorkflow({ id: 'ruled', singleton: { onBusy: 'wait' } });
// @ts-expect-error a period is required
createWorkflow({ id: 'ruled', throttle: { limit: 1 } });

// A step's own schemas give their types to its body, and win over those of the workflow.
typed.andThen({
  id: 'own',
  suspendSchema: z.object({ question: z.string() }),
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ resumeData, suspend }) => {
    expectTypeOf(resumeData).toEqualTypeOf<{ ok: boolean } | undefined>();
    // @ts-expect-error -- not the data of this step
    if (resumeData?.ok === false) return suspend('ask', { total: 1 });
    return resumeData?.ok ?? suspend('ask', { question: 'May I?' });
  },
});
andTap({
  id: 'own',
  resumeSchema: z.object({ ok: z.boolean() }),
  execute: ({ resumeData }) => expectTypeOf(resumeData).toEqualTypeOf<{ ok: boolean } | undefined>(),
});
order.andThen({
  id: 'parsed',
  input: z.object({ id: z.string(), items: z.array(z.number()).transform((items) => items.length) }),
  execute: ({ data }) => expectTypeOf(data.items).toEqualTypeOf<number>(),
});

// With a schema, a body returns a value that the schema accepts. Later steps get the schema's
// output.
const Priced = z.object({ state: z.enum(['open', 'paid']), cents: z.string().transform(Number) });
order.andThen({ id: 'price', output: Priced, execute: ({ data }) => ({ state: 'open', cents: data.id }) }).andThen({
  id: 'priced',
  execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ state: 'open' | 'paid'; cents: number }>(),
});
// @ts-expect-error -- no such state
order.andThen({ id: 'price', output: Priced, execute: async ({ data }) => ({ state: 'lost', cents: data.id }) });
order.andRun({
  id: 'code',
  output: Priced,
  run: async ({ data, step }) => {
    expectTypeOf(await step('cents', () => data.id, { output: z.string().transform(Number) })).toEqualTypeOf<number>();
    // @ts-expect-error -- the schema takes a text
    await step('cents', () => data.items, { output: z.string() });
    return { state: 'paid', cents: data.id };
  },
});

// Every step knows the outputs of the steps before it, by id.
order
  .andThen({ id: 'read', execute: () => ({ at: new Date() }) })
  .andAll({
    id: 'checks',
    steps: [
      andThen({ id: 'stock', execute: () => 5 }),
      andWhen({ id: 'big', condition: () => true, step: andThen({ id: 'ask', execute: () => 'yes' }) }),
      andThen({
        id: 'nested',
        execute: ({ getStepData }) =>
          expectTypeOf(getStepData('read')?.output).toEqualTypeOf<{ at: string } | null | undefined>(),
      }),
    ],
  })
  .andTry({
    id: 'try',
    step: andThen({ id: 'charge', execute: () => true }),
    catch: andThen({ id: 'waive', execute: () => 'waived' }),
  })
  .andForEach({ id: 'each', items: () => [1, 2], step: andThen({ id: 'item', execute: () => 'x' }) })
  .andBranch({
    id: 'branch',
    branches: [{ condition: () => true, step: andThen({ id: 'inner', execute: () => [1] }) }],
  })
  .andMap({
    id: 'map',
    map: {
      read: { from: 'step', stepId: 'read', path: 'at' },
      stock: { from: 'step', stepId: 'stock' },
      missing: { from: 'step', stepId: 'read', path: 'of' },
      count: { from: 'input', path: 'items.0' },
      other: { from: 'context', path: 'tenant' },
    },
  })
  .andThen({
    id: 'last',
    execute: ({ data, getStepData }) => {
      expectTypeOf(data).toEqualTypeOf<{
        read: string;
        stock: number;
        missing: null;
        count: number | null;
        other: unknown;
      }>();
      expectTypeOf(getStepData('stock')).toEqualTypeOf<StepData<number> | undefined>();
      expectTypeOf(getStepData('ask')).toEqualTypeOf<StepData<string> | undefined>();
      expectTypeOf(getStepData('charge')).toEqualTypeOf<StepData<boolean> | undefined>();
      expectTypeOf(getStepData('waive')).toEqualTypeOf<StepData<string> | undefined>();
      expectTypeOf(getStepData('item')).toEqualTypeOf<StepData<string> | undefined>();
      expectTypeOf(getStepData('inner')).toEqualTypeOf<StepData<number[]> | undefined>();
      expectTypeOf(getStepData('unknown')).toEqualTypeOf<StepData | undefined>();
      const read = getStepData('read');
      if (read?.status === 'success') expectTypeOf(read.output).toEqualTypeOf<{ at: string }>();
    },
  });

// andAll keeps the data if asked to.
order.andAll({ id: 'all', keepData: true, steps: [andThen({ id: 'one', execute: () => 1 })] }).andThen({
  id: 'kept',
  execute: ({ data }) => expectTypeOf(data).toEqualTypeOf<{ data: Order; results: [number] }>(),
});

// The last step leads to the result, or nothing takes the workflow.
const withResult = createWorkflow({ id: 'receipt', input: Order, result: z.object({ paid: z.coerce.number() }) });
const fits = withResult.andThen({ id: 'pay', execute: () => ({ paid: '5' }) });
const misses = withResult.andThen({ id: 'pay', execute: () => 'paid' });
expectTypeOf<Awaited<ReturnType<typeof fits.run>>['result']>().toEqualTypeOf<{ paid: number } | null>();
declare const storage: Storage;
export const registered = new WorkflowRuntime({ storage, workflows: [fits] });
// @ts-expect-error -- a text is no receipt
export const refused = new WorkflowRuntime({ storage, workflows: [misses] });
// @ts-expect-error -- a text is no receipt
void misses.run({ id: '1', items: [] });
// @ts-expect-error -- a text is no receipt
order.andWorkflow({ id: 'sub', workflow: misses });
// @ts-expect-error -- a text is no receipt
withResult.andThen({ id: 'stop', execute: ({ bail }) => bail('paid') });
