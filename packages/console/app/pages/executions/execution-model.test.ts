import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WorkflowStep } from '../workflows/workflow-graph.ts';
import type { StoredEvent } from './execution-events.ts';
import { lastAttemptAt, toStepName, type StepRun, stepRuns, summarize } from './execution-model.ts';

type ExecutionState = NonNullable<Parameters<typeof stepRuns>[1]>;
type Line = readonly [second: number, type: string, from: string, fields?: Readonly<Record<string, unknown>>];

const epoch = Date.parse('2027-01-01T00:00:00Z');
const at = (second: number): number => epoch + second * 1_000;
const iso = (second: number): string => new Date(at(second)).toISOString();

/** The events of an execution, with sequence numbers from 1. */
const events = (...lines: readonly Line[]): readonly StoredEvent[] =>
  lines.map(([second, type, from, fields], index) => {
    const start = type === 'step-start' ? { stepType: 'andThen', stepIndex: 0, input: null } : {};
    return { seq: index + 1, executionId: 'x', timestamp: iso(second), type, from, ...start, ...fields };
  });

const execution = (fields: Partial<ExecutionState> = {}): ExecutionState => ({
  status: 'running',
  suspensions: [],
  rewinds: [],
  endAt: null,
  updatedAt: iso(100),
  ...fields,
});

const step = (id: string, type: WorkflowStep['type'], steps: WorkflowStep[] = []): WorkflowStep => ({
  id,
  name: id,
  type,
  purpose: '',
  steps,
});

const states = (runs: readonly StepRun[]): readonly string[] =>
  runs.map(({ instance, isSuperseded, state }) => `${instance} ${state}${isSuperseded ? ' (superseded)' : ''}`);

describe('stepRuns', () => {
  it('is empty before the first step, also without an execution', () => {
    expect(stepRuns([], undefined)).toEqual([]);
    expect(stepRuns(events([0, 'workflow-start', 'order']), execution())).toEqual([]);
  });

  it('takes a retry by hand as another attempt of the same run', () => {
    const [run] = stepRuns(
      events(
        [0, 'step-start', 'pay'],
        [2, 'step-error', 'pay', { error: 'no' }],
        [90, 'step-complete', 'pay', { status: 'success' }],
      ),
      execution({ status: 'completed', endAt: iso(91), rewinds: [{ paths: [], seq: 2 }] }),
    );
    expect(run).toMatchObject({
      state: 'success',
      error: undefined,
      attempts: [{ error: 'no', at: at(2), delayMs: 88_000, isRetriedByHand: true }],
    });
    expect(summarize(run === undefined ? [] : [run]).get('pay')).toMatchObject({ attempts: 2, durationMs: undefined });
  });

  it('follows a step from its start to its end', () => {
    const [run] = stepRuns(
      events(
        [1, 'step-start', 'price', { stepType: 'andAgent', input: { sku: 'lamp' } }],
        [4, 'step-complete', 'price', { status: 'success', output: 12 }],
      ),
      execution(),
    );
    expect(run).toEqual({
      instance: 'price',
      stepId: 'price',
      type: 'andAgent',
      state: 'success',
      startedAt: at(1),
      endedAt: at(4),
      input: { sku: 'lamp' },
      output: 12,
      error: undefined,
      attempts: [],
      pauses: [],
      notes: [],
      isUndone: false,
      isSuperseded: false,
    });
  });

  it('keeps skipped, failed and undone steps apart', () => {
    const runs = stepRuns(
      events(
        [1, 'step-start', 'a'],
        [2, 'step-complete', 'a', { status: 'skipped', output: null }],
        [3, 'step-start', 'b'],
        [4, 'step-error', 'b', { error: 'no stock' }],
        [5, 'step-start', 'c'],
        [6, 'step-complete', 'c', { status: 'success', output: 1 }],
        [7, 'step-compensated', 'c'],
      ),
      execution(),
    );
    expect(states(runs)).toEqual(['a skipped', 'b error', 'c success']);
    expect(runs.map(({ error, isUndone }) => [error, isUndone])).toEqual([
      [undefined, false],
      ['no stock', false],
      [undefined, true],
    ]);
    expect(runs[1]?.endedAt).toBe(at(4));
  });

  it('keeps parallel branches and the items of a loop apart', () => {
    const runs = stepRuns(
      events(
        [1, 'step-start', 'ship:0'],
        [1, 'step-start', 'ship:1'],
        [2, 'step-complete', 'ship:1', { status: 'success', output: 'one' }],
        [3, 'step-error', 'ship:0', { error: 'late' }],
      ),
      execution(),
    );
    expect(runs.map(({ instance, state, stepId }) => [instance, stepId, state])).toEqual([
      ['ship:0', 'ship', 'error'],
      ['ship:1', 'ship', 'success'],
    ]);
  });

  it('lists failed attempts, and waits until the delay before the next one is over', () => {
    const retried = events(
      [1, 'step-start', 'pay'],
      [2, 'step-retry', 'pay', { error: 'timeout', delayMs: 3_000 }],
      [6, 'step-retry', 'pay', { error: 'busy', delayMs: 4_000 }],
    );
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: at(10) - 1 });
    const [run] = stepRuns(retried, execution());
    expect(run?.attempts).toEqual([
      { error: 'timeout', at: at(2), delayMs: 3_000 },
      { error: 'busy', at: at(6), delayMs: 4_000 },
    ]);
    expect(run?.state).toBe('waiting');
    vi.setSystemTime(at(10));
    expect(stepRuns(retried, execution())[0]?.state).toBe('running');
  });

  it('shows the question of a step until it continues', () => {
    const suspension = { stepId: 'approve', reason: 'approval' };
    const lines = events(
      [1, 'step-start', 'approve'],
      [2, 'workflow-suspended', 'order', { suspension }],
      [9, 'step-complete', 'approve', { status: 'success', output: true }],
    );
    const waiting = execution({ status: 'suspended', suspensions: [{ stepId: 'approve' }] as never });
    const [open] = stepRuns(lines.slice(0, 2), waiting);
    expect(open?.state).toBe('suspended');
    expect(open?.pauses).toEqual([{ from: at(2), to: undefined, reason: 'approval' }]);
    // The execution was resumed, and the step has written nothing yet.
    expect(stepRuns(lines.slice(0, 2), execution())[0]).toMatchObject({
      state: 'running',
      pauses: [{ from: at(2), to: at(100) }],
    });
    expect(stepRuns(lines, execution())[0]?.pauses).toEqual([{ from: at(2), to: at(9), reason: 'approval' }]);
  });

  it('counts a sleep as waiting', () => {
    for (const stepType of ['andSleep', 'andSleepUntil'])
      expect(stepRuns(events([1, 'step-start', 'nap', { stepType }]), execution())[0]?.state).toBe('waiting');
  });

  it('lists the notes of a step without the fields that every event has', () => {
    const [run] = stepRuns(
      events([1, 'step-start', 'a'], [2, 'custom-progress', 'a', { percent: 40 }], [3, 'custom-done', 'a']),
      execution(),
    );
    expect(run?.notes).toEqual([
      { at: at(2), type: 'custom-progress', fields: { percent: 40 } },
      { at: at(3), type: 'custom-done', fields: {} },
    ]);
  });

  it('ignores events that it does not know, and those of steps that have not started', () => {
    const runs = stepRuns(
      events(
        [1, 'step-complete', 'ghost', { status: 'success', output: 1 }],
        [1, 'step-error', 'ghost', { error: 'x' }],
        [1, 'step-retry', 'ghost', { error: 'x', delayMs: 1 }],
        [1, 'workflow-suspended', 'order', { suspension: { stepId: 'ghost', reason: 'event' } }],
        [2, 'step-start', 'a'],
        [3, 'step-teleported', 'a'],
      ),
      execution(),
    );
    expect(states(runs)).toEqual(['a running']);
    expect(runs[0]?.notes).toEqual([]);
  });

  it('ends running steps with the execution: failed with a failed one, cancelled otherwise', () => {
    const lines = events([1, 'step-start', 'a'], [2, 'workflow-suspended', 'o', { suspension: { stepId: 'a' } }]);
    const ended = { endAt: iso(8) };
    const [failed] = stepRuns(lines, execution({ ...ended, status: 'error' }));
    expect(failed).toMatchObject({ state: 'error', endedAt: at(8), pauses: [{ from: at(2), to: at(8) }] });
    for (const status of ['completed', 'cancelled'] as const)
      expect(states(stepRuns(lines, execution({ ...ended, status })))).toEqual(['a cancelled']);
    expect(states(stepRuns(lines, undefined))).toEqual(['a running']);
  });

  it('counts the last run of a step that started twice', () => {
    const runs = stepRuns(
      events([1, 'step-start', 'a'], [5, 'step-start', 'a'], [6, 'step-complete', 'a', { status: 'success' }]),
      execution(),
    );
    expect(states(runs)).toEqual(['a cancelled (superseded)', 'a success']);
    expect(runs[0]?.endedAt).toBe(at(5));
  });

  describe('after a rewind', () => {
    const order = [
      step('lines', 'andForEach', [step('approve', 'andThen'), step('pack', 'andThen')]),
      step('ship', 'andAll', [step('label', 'andThen')]),
    ];
    const lines = events(
      [1, 'step-start', 'lines', { stepType: 'andForEach' }],
      ...[0, 1].flatMap((item): Line[] => [
        [2, 'step-start', `approve:${item}`],
        [3, 'step-complete', `approve:${item}`, { status: 'success', output: item }],
      ]),
      [4, 'step-start', 'pack:1'],
      [5, 'step-error', 'pack:1', { error: 'torn' }],
      [5, 'step-error', 'lines', { error: 'torn' }],
      [6, 'step-start', 'ship', { stepType: 'andAll' }],
      [6, 'step-start', 'label'],
      [7, 'step-complete', 'label', { status: 'success', output: 1 }],
    );
    const rewound = (...paths: string[]): ExecutionState => execution({ rewinds: [{ paths, seq: lines.length }] });

    it('counts only the steps at its paths and below them no more', () => {
      expect(states(stepRuns(lines, rewound('lines:1/approve', 'ship'), order))).toEqual([
        'lines running',
        'approve:0 success',
        'approve:1 success (superseded)',
        'pack:1 error',
        'ship cancelled (superseded)',
        'label success (superseded)',
      ]);
    });

    it('counts no step of a later round, and lets the loop go on', () => {
      expect(states(stepRuns(lines, rewound('lines:1'), order))).toEqual([
        'lines running',
        'approve:0 success',
        'approve:1 success (superseded)',
        'pack:1 error (superseded)',
        'ship running',
        'label success',
      ]);
    });

    it('forgets why a step had failed that goes on', () => {
      const [loop] = stepRuns(lines, rewound('lines:1/pack'), order);
      expect(loop).toMatchObject({ endedAt: undefined, error: undefined });
    });

    it('finds the step itself without the definition', () => {
      expect(states(stepRuns(lines, rewound('lines:1/approve'))).slice(0, 4)).toEqual([
        'lines running',
        'approve:0 success',
        'approve:1 success (superseded)',
        'pack:1 error',
      ]);
    });

    it('is applied between the events before and after it', () => {
      const again = [
        ...lines,
        ...events([20, 'step-start', 'label'], [21, 'step-complete', 'label', { status: 'success', output: 2 }]).map(
          (event) => ({ ...event, seq: event.seq + lines.length }),
        ),
      ];
      const runs = stepRuns(again, rewound('ship/label'), order).filter(({ stepId }) => stepId === 'label');
      expect(runs.map(({ isSuperseded, output }) => [output, isSuperseded])).toEqual([
        [1, true],
        [2, false],
      ]);
    });

    it('ignores a late event of a step that was rewound', () => {
      const late = events([1, 'step-start', 'a'], [2, 'step-complete', 'a', { status: 'success', output: 'late' }]);
      const [run] = stepRuns(late, execution({ rewinds: [{ paths: ['a'], seq: 1 }] }));
      expect(run).toMatchObject({ state: 'cancelled', output: undefined });
    });

    it('ends a step that ran then when it was rewound', () => {
      const [run] = stepRuns(
        events([1, 'step-start', 'a'], [9, 'step-start', 'b']),
        execution({ rewinds: [{ paths: ['a'], seq: 1 }] }),
      );
      expect(run).toMatchObject({ state: 'cancelled', endedAt: at(9), isSuperseded: true });
    });
  });
});

describe('toStepName', () => {
  it('is the id of the step without the items of loops', () => {
    expect(['pay', 'pay:3', 'pay:3:1', 'checkout/charge:2'].map(toStepName)).toEqual([
      'pay',
      'pay',
      'pay',
      'checkout/charge',
    ]);
  });
});

describe('lastAttemptAt', () => {
  it('is the start without a failed attempt, else the end of the last delay, but never after the end', () => {
    const [run] = stepRuns(events([1, 'step-start', 'a']), undefined);
    if (run === undefined) throw new Error('No run');
    expect(lastAttemptAt(run)).toBe(at(1));
    const attempts = [
      { error: 'x', at: at(2), delayMs: 1_000 },
      { error: 'y', at: at(4), delayMs: 2_000 },
    ];
    expect(lastAttemptAt({ ...run, attempts })).toBe(at(6));
    expect(lastAttemptAt({ ...run, attempts, endedAt: at(5) })).toBe(at(5));
  });
});

describe('summarize', () => {
  const summaryOf = (...lines: readonly Line[]): unknown => summarize(stepRuns(events(...lines), undefined)).get('a');
  const done = (second: number, from: string): Line => [second, 'step-complete', from, { status: 'success' }];

  it('is empty without runs', () => {
    expect(summarize([])).toEqual(new Map());
  });

  it('has of one run the duration of its last attempt', () => {
    const retry: Line = [3, 'step-retry', 'a', { error: 'x', delayMs: 2_000 }];
    expect(summaryOf([1, 'step-start', 'a'], retry, done(9, 'a'))).toEqual({
      state: 'success',
      count: 1,
      done: 1,
      attempts: 2,
      durationMs: 4_000,
    });
  });

  it('has of several runs the time from the first start to the last end', () => {
    const all: Line[] = [[1, 'step-start', 'a:0'], [2, 'step-start', 'a:1'], done(8, 'a:0'), done(5, 'a:1')];
    expect(summaryOf(...all)).toMatchObject({ count: 2, done: 2, attempts: 1, durationMs: 7_000 });
    expect(summaryOf(...all.slice(0, 3))).toMatchObject({ state: 'running', done: 1, durationMs: undefined });
  });

  it('has no duration before the end, and 0 ms for a step that took none', () => {
    expect(summaryOf([1, 'step-start', 'a'])).toMatchObject({ done: 0, durationMs: undefined });
    expect(summaryOf([1, 'step-start', 'a'], done(1, 'a'))).toMatchObject({ durationMs: 0 });
  });

  it('leaves out runs that no longer count', () => {
    const lines: Line[] = [
      [1, 'step-start', 'a'],
      [2, 'step-error', 'a', { error: 'x' }],
      [3, 'step-start', 'a'],
      done(4, 'a'),
    ];
    expect(summaryOf(...lines)).toMatchObject({ state: 'success', count: 1, durationMs: 1_000 });
  });

  it('shows of a loop the state that says most', () => {
    const order = ['skipped', 'success', 'cancelled', 'waiting', 'running', 'suspended', 'error'] as const;
    const [run] = stepRuns(events([1, 'step-start', 'a:0']), undefined);
    if (run === undefined) throw new Error('No run');
    for (const [index, state] of order.entries()) {
      const runs = order.slice(0, index + 1).map((each) => ({ ...run, state: each }));
      expect(summarize(runs).get('a')?.state).toBe(state);
      expect(summarize(runs.toReversed()).get('a')?.state).toBe(state);
    }
  });
});
