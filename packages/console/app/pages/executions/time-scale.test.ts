import { describe, expect, it } from 'vitest';
import type { StepRun } from './execution-model.ts';
import { timeScale } from './time-scale.ts';

const run = (startedAt: number, endedAt: number | undefined, fields: Partial<StepRun> = {}): StepRun => ({
  instance: 'a',
  stepId: 'a',
  type: 'andThen',
  state: endedAt === undefined ? 'running' : 'success',
  startedAt,
  endedAt,
  input: null,
  output: null,
  error: undefined,
  attempts: [],
  pauses: [],
  notes: [],
  isUndone: false,
  isSuperseded: false,
  ...fields,
});
const folded = { areWaitsFolded: true };
const foldsOf = (runs: readonly StepRun[], end = 1_000): readonly (readonly [number, number])[] =>
  timeScale(runs, 0, end, folded).folds.map(({ from, to }) => [from, to]);

describe('a scale that folds nothing', () => {
  it('goes evenly from the start to the end, and not beyond', () => {
    const { at, end, folds, start } = timeScale([run(100, 120)], 100, 300, { areWaitsFolded: false });
    expect([50, 100, 150, 300, 900].map(at)).toEqual([0, 0, 0.25, 1, 1]);
    expect({ start, end, folds }).toEqual({ start: 100, end: 300, folds: [] });
  });

  it('has a place for the only moment of an execution that took no time', () => {
    expect(timeScale([], 100, 100, { areWaitsFolded: false }).at(100)).toBe(0);
    expect(timeScale([run(100, 100)], 100, 100, folded).at(100)).toBe(0);
  });

  it('stays at the start if the clock of the end is behind that of the start', () => {
    const { at } = timeScale([run(100, 90)], 100, 90, { areWaitsFolded: false });
    expect([80, 90, 95, 100, 110].map(at)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('a scale that folds waits', () => {
  it('draws a long wait as a twentieth, and the rest evenly', () => {
    const { at, folds } = timeScale([run(0, 100), run(900, 1_000)], 0, 1_000, folded);
    expect(folds).toEqual([{ from: 100, to: 900 }]);
    expect([0, 50, 100, 500, 900, 950, 1_000].map((time) => Number(at(time).toFixed(5)))).toEqual([
      0, 0.2375, 0.475, 0.5, 0.525, 0.7625, 1,
    ]);
  });

  it('leaves half of the width for work, however many waits there are', () => {
    const runs = Array.from({ length: 18 }, (_, index) => run(index * 100, index * 100 + 1));
    const { at, folds } = timeScale(runs, 0, 1_701, folded);
    const short = timeScale(runs.slice(0, 15), 0, 1_401, folded);
    expect(folds).toHaveLength(17);
    expect(short.folds).toHaveLength(14);
    const widths = folds.map(({ from, to }) => at(to) - at(from));
    expect(widths.reduce((sum, width) => sum + width, 0)).toBeCloseTo(0.5);
    expect(at(1_701)).toBeCloseTo(1);
  });

  it('never goes back', () => {
    const { at } = timeScale([run(10, 20), run(15, 400), run(700, 710)], 0, 1_000, folded);
    const places = Array.from({ length: 101 }, (_, index) => at(index * 10));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('folds no wait of a twentieth or less', () => {
    expect(foldsOf([run(0, 500), run(550, 1_000)])).toEqual([]);
    expect(foldsOf([run(0, 500), run(551, 1_000)])).toEqual([[500, 551]]);
  });

  it('folds the time before the first step and after the last one', () => {
    expect(foldsOf([run(400, 600)])).toEqual([
      [0, 400],
      [600, 1_000],
    ]);
    expect(foldsOf([])).toEqual([[0, 1_000]]);
  });

  it('counts work of parallel steps once, in whichever order they started', () => {
    expect(foldsOf([run(0, 900), run(100, 200), run(850, 1_000)])).toEqual([]);
    expect(foldsOf([run(800, 1_000), run(0, 200)])).toEqual([[200, 800]]);
  });

  it('counts a step that runs as work until now', () => {
    expect(foldsOf([run(0, undefined)])).toEqual([]);
  });

  it('counts neither steps that contain others as work, nor those that wait', () => {
    for (const type of ['andAll', 'andForEach', 'andTry', 'andRun'])
      expect(foldsOf([run(0, 1_000, { type })])).toEqual([[0, 1_000]]);
    for (const type of ['andSleep', 'andSleepUntil', 'andWaitForEvent', 'andJoin'])
      expect(foldsOf([run(200, 1_000, { type })])).toEqual([
        [0, 200],
        [200, 1_000],
      ]);
    expect(foldsOf([run(0, undefined, { state: 'waiting' })])).toEqual([[0, 1_000]]);
  });

  it('counts neither pauses as work, nor delays before another attempt', () => {
    const pauses = [{ from: 100, to: 500, reason: 'approval' }];
    const attempts = [{ error: 'x', at: 600, delayMs: 300 }];
    expect(foldsOf([run(0, 1_000, { attempts, pauses })])).toEqual([
      [100, 500],
      [600, 900],
    ]);
    expect(foldsOf([run(0, undefined, { pauses: [{ from: 100, to: undefined, reason: 'event' }] })])).toEqual([
      [100, 1_000],
    ]);
  });

  it('accepts pauses that overlap, and one that begins before its step', () => {
    const pauses = [
      { from: 300, to: 600, reason: 'b' },
      { from: -50, to: 400, reason: 'a' },
    ];
    expect(foldsOf([run(0, 1_000, { pauses })])).toEqual([
      [0, 400],
      [400, 600],
    ]);
  });
});
