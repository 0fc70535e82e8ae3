import { HalyardError, TimeLimitError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../model/providers/model-port.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { Run, RunDependencies } from '../loop/run.ts';
import type { StepOutcome } from '../loop/step/step-reader.ts';
import { inputInPrompt } from './input-of-call.ts';
import { parseArguments, textFault } from './parse-arguments.ts';
import { readApproval } from './plan-call.ts';
import { denyApprovals, waitsForApproval } from './provider-approvals.ts';
import { withRepairs } from './repair-call.ts';
import { toToolCallFlags } from './tool-call-flags.ts';
import { deliveryKeys, type PlannedCall, toolErrorMessage } from './tool-call.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('the arguments of a call', () => {
  it.each<readonly [string, unknown]>([
    ['{"euros":5}', { euros: 5 }],
    ['', {}],
    [' \n', {}],
    ['null', null],
    ['{"euros":', '{"euros":'],
    [nested(20), JSON.parse(nested(20))],
    [nested(5_000), nested(5_000)],
  ])('are parsed, or stay text: %.12s', (input, parsed) => {
    expect(parseArguments(input)).toEqual(parsed);
  });

  it('that stayed text are refused with the reason', () => {
    expect(textFault('{"euros":')).toMatch(
      /^input must be a JSON object, but is not valid JSON\. If the limit of output tokens/,
    );
    expect(textFault('5')).toBe('input must be a JSON object');
    expect(textFault(nested(5_000))).toMatch(/^input must not be nested deeper than \d+ levels$/);
  });
});

it('marks calls of tools that the agent does not have, and names the others for people', () => {
  const run = {
    findTool: (name: string) => (name === 'pay' ? { title: 'Payment' } : undefined),
    modelTools: [{ name: 'pay' }, { name: 'look' }],
  } as Pick<RunDependencies, 'findTool' | 'modelTools'>;
  expect(toToolCallFlags(run, 'pay')).toStrictEqual({ title: 'Payment' });
  expect(toToolCallFlags(run, 'look')).toStrictEqual({});
  expect(toToolCallFlags(run, 'unknown')).toStrictEqual({ dynamic: true });
});

it('finds the input of the newest call with an id', () => {
  const call = (toolCallId: string, input: unknown) => ({ type: 'tool-call', toolCallId, toolName: 'pay', input });
  const prompt = [
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    { role: 'assistant', content: [call('c1', 1), call('c2', 2)] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'pay', output: {} }] },
    { role: 'assistant', content: [{ type: 'text', text: 'c3' }, call('c1', 3)] },
  ] as Prompt;
  expect(inputInPrompt(prompt, 'c1')).toBe(3);
  expect(inputInPrompt(prompt, 'c2')).toBe(2);
  expect(inputInPrompt(prompt, 'c3')).toBeNull();
});

it.each<readonly [string, unknown, string]>([
  ['an error', new Error('no money'), 'no money'],
  ['a text', 'no money', 'no money'],
  ['an error without a text', new Error(''), 'Tool "pay" failed'],
  ['something else', { message: 'secret' }, 'Tool "pay" failed'],
  ['nothing', undefined, 'Tool "pay" failed'],
  ['an internal error', new HalyardError('internal', 'INTERNAL', 'secret'), 'Tool "pay" failed'],
  ['a failure', new HalyardError('failed', 'TOOL_FAILED', 'no money'), 'no money'],
])('tells the model of %s', (_, error, message) => {
  expect(toolErrorMessage('pay', error)).toBe(message);
});

it('tells the model that a tool took too long', () => {
  const error = new TimeLimitError('Tool "pay"', 5_000);
  expect(toolErrorMessage('pay', error)).toBe(error.message);
});

it('delivers the end of a call under the key of its tool or of its denial', () => {
  const calls = (['run', 'wait', 'refuse', 'deny'] as const).map(
    (kind) => ({ kind, call: { toolCallId: kind, toolName: 'pay', input: {} } }) as PlannedCall,
  );
  expect(deliveryKeys(2, calls)).toEqual(['step-2/tool/run', 'step-2/tool/wait', 'step-2/approval/deny']);
});

it.each<readonly [Parameters<typeof readApproval>[0], boolean, string | undefined]>([
  [{ approved: true }, true, undefined],
  [{ approved: true, reason: 'fine' }, true, 'fine'],
  [{ approved: false, reason: 'too much' }, false, 'too much'],
  [{ approved: 'true', reason: 7 }, false, undefined],
  [{ reason: 'no answer' }, false, undefined],
  [null, false, undefined],
  ['approved', false, undefined],
])('reads the answer %j', (data, approved, reason) => {
  expect(readApproval(data)).toStrictEqual({ approved, reason });
});

const outcome = (fields: Partial<StepOutcome>): StepOutcome => ({ content: [], calls: [], ...fields }) as StepOutcome;

it('shows the model a repaired call as the app has repaired it', () => {
  const call = { toolCallId: 'c1', toolName: 'pay', input: '{"euros":5}' };
  const other = { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: {} } as const;
  const text = { type: 'text', text: 'Hi' } as const;
  const broken = { type: 'tool-call', toolCallId: 'c1', toolName: 'paying', input: 'five' } as const;
  const plain = outcome({ calls: [call], content: [text, other, broken] });

  expect(withRepairs(plain)).toBe(plain);
  expect(withRepairs({ ...plain, calls: [{ ...call, isRepairAsked: true }] }).content).toEqual([
    text,
    other,
    { ...broken, toolName: 'pay', input: { euros: 5 } },
  ]);
});

describe('an approval that the provider asks for', () => {
  const approvals = [
    { approvalId: 'a1', toolCallId: 'c1' },
    { approvalId: 'a2', toolCallId: 'unknown' },
  ];
  const content = [
    { type: 'text', text: 'c1' },
    { type: 'tool-call', toolCallId: 'c0', toolName: 'look', input: {} },
    { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } },
  ] as StepOutcome['content'];

  it('ends a run that a person can continue', () => {
    const run = { identity: { isDelegated: false }, dependencies: { journal: {} } } as Run;
    expect(waitsForApproval(run, outcome({ approvals }))).toBe(true);
    expect(waitsForApproval(run, outcome({}))).toBe(false);
    expect(waitsForApproval({ ...run, identity: { isDelegated: true } } as Run, outcome({ approvals }))).toBe(false);
    const suspending = { ...run, dependencies: { journal: { suspensions: {} } } } as unknown as Run;
    expect(waitsForApproval(suspending, outcome({ approvals }))).toBe(false);
  });

  it('is denied where nobody can be asked', async () => {
    const events: AgentEvent[] = [];
    const keys: unknown[] = [];
    const answered: unknown[] = [];
    const run = {
      output: {
        events: {
          for: (some: unknown) => {
            keys.push(some);
            return { emit: async (event: AgentEvent) => void events.push(event) };
          },
        },
      },
      conversation: { writer: { setApprovalResponse: (...given: unknown[]) => answered.push(given) } },
    } as unknown as Run;
    const reason = 'This run cannot ask a person';

    expect(await denyApprovals(run, 1, outcome({ approvals, content }))).toEqual([
      { type: 'tool-approval-response', approvalId: 'a1', approved: false, reason },
    ]);
    expect(events).toStrictEqual([
      {
        type: 'tool-error',
        toolCallId: 'c1',
        toolName: 'pay',
        input: { euros: 5 },
        providerExecuted: true,
        error: reason,
        denied: true,
      },
    ]);
    expect(keys).toEqual([['step-1/model']]);
    expect(answered).toEqual([['c1', { approved: false, reason }]]);
    expect(await denyApprovals(run, 1, outcome({ content }))).toEqual([]);
  });
});
