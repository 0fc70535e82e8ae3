import { describe, expect, it } from 'vitest';
import { alignRuns, type ComparedStep, differences } from './compare.ts';
import type { StepRun } from './execution-model.ts';

const run = (instance: string, fields: Partial<StepRun> = {}): StepRun => ({
  instance,
  stepId: instance,
  type: 'andThen',
  state: 'success',
  startedAt: 0,
  endedAt: 1,
  input: 1,
  output: 2,
  error: undefined,
  attempts: [],
  pauses: [],
  notes: [],
  isUndone: false,
  isSuperseded: false,
  ...fields,
});
const runs = (...instances: readonly string[]): readonly StepRun[] => instances.map((instance) => run(instance));
const names = (steps: readonly ComparedStep[]): readonly string[] => steps.map(({ instance }) => instance);

describe('alignRuns', () => {
  it('is empty for two executions that have not started', () => {
    expect(alignRuns([], [])).toEqual([]);
    expect(alignRuns([], [], 'right')).toEqual([]);
  });

  it('puts steps that only the second ran where they ran', () => {
    expect(names(alignRuns(runs('a', 'b', 'c'), runs('x', 'a', 'y', 'z', 'c', 'end')))).toEqual([
      'x',
      'a',
      'y',
      'z',
      'b',
      'c',
      'end',
    ]);
    expect(names(alignRuns([], runs('a', 'b')))).toEqual(['a', 'b']);
    expect(names(alignRuns(runs('a', 'b'), []))).toEqual(['a', 'b']);
  });

  it('shows a step that only one ran as different', () => {
    const [step] = alignRuns(runs('a'), []);
    expect(step).toMatchObject({ left: { instance: 'a' }, right: undefined, isSame: false });
  });

  it.each<Partial<StepRun>>([{ state: 'error' }, { error: 'x' }, { input: 3 }, { output: { a: 1 } }])(
    'notices a difference in %j',
    (fields) => {
      expect(alignRuns([run('a')], [run('a', fields)])[0]?.isSame).toBe(false);
    },
  );

  it('ignores when a step ran, and how often it was tried', () => {
    const later = run('a', { startedAt: 5, endedAt: 9, attempts: [{ error: 'x', at: 6, delayMs: 0 }] });
    expect(alignRuns([run('a')], [later])[0]?.isSame).toBe(true);
  });

  it('compares the last run of a step that was rewound', () => {
    const before = run('a', { output: 'old', isSuperseded: true });
    const steps = alignRuns([before, run('a')], [run('a')]);
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({ left: { output: 2 }, isSame: true });
  });

  it.each(['left', 'right'] as const)('counts what a replay at the %s took over as the same', (side) => {
    const original = runs('a', 'b', 'c');
    const replay = [run('b'), run('c', { output: 'new' })];
    const steps = side === 'left' ? alignRuns(replay, original, side) : alignRuns(original, replay, side);
    expect(steps.map(({ instance, isSame, takenOverBy }) => [instance, isSame, takenOverBy])).toEqual([
      ['a', true, side],
      ['b', true, undefined],
      ['c', false, undefined],
    ]);
  });

  it('takes over nothing while a replay has not started', () => {
    expect(alignRuns(runs('a'), [], 'right')[0]).toMatchObject({ isSame: false, takenOverBy: undefined });
  });
});

describe('differences', () => {
  it.each<readonly [unknown, unknown, readonly string[]]>([
    [1, 1, []],
    [Number.NaN, Number.NaN, []],
    [{}, {}, []],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    [1, '1', ['']],
    [null, {}, ['']],
    [[], {}, ['']],
    [undefined, null, ['']],
    [{ lines: [{ sku: 'a' }, { sku: 'b' }] }, { lines: [{ sku: 'a' }, { sku: 'c' }] }, ['lines.1.sku']],
    [{ a: 1, b: 2 }, { b: 3, c: 4 }, ['a', 'b', 'c']],
    [[1, 2], [1], ['1']],
    [{ a: undefined }, {}, ['a']],
  ])('finds between %j and %j the places %j', (one, other, places) => {
    expect(differences(one, other)).toEqual(places);
  });

  it('lists at most 100 places', () => {
    const numbers = (count: number, from: number): readonly number[] =>
      Array.from({ length: count }, (_, i) => i + from);
    expect(differences(numbers(500, 0), numbers(500, 1))).toHaveLength(100);
    expect(differences(numbers(500, 0), [])).toHaveLength(100);
  });
});
