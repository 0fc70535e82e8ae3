import { expect, it } from 'vitest';
import { judge, type Sample, toCsv } from './samples.ts';

const steady: Sample = { seconds: 0, heapMb: 60, rssMb: 150, handles: 70, requests: 500, p50Ms: 4, p99Ms: 30 };

/** An hour of samples. @param change how one differs from a steady one; `hour` is its time. */
function samples(change: (hour: number) => Partial<Sample>): readonly Sample[] {
  return Array.from({ length: 360 }, (_, index) => {
    const noise = Math.sin(index * 12.9898);
    const one = { ...steady, heapMb: steady.heapMb + noise, ...change(index / 360) };
    return { ...one, seconds: index * 10 };
  });
}

it('finds nothing wrong with a steady run', () => {
  expect(judge(samples(() => ({}))).problems).toEqual([]);
});

it('ignores the growth of the warm-up', () => {
  expect(judge(samples((hour) => (hour < 0.15 ? { heapMb: 40 } : {}))).problems).toEqual([]);
});

it('finds a heap that grows', () => {
  const { problems } = judge(samples((hour) => ({ heapMb: 60 + 8 * hour })));
  expect(problems).toEqual([expect.stringContaining('the heap grows by 8')]);
});

it('finds handles that stay', () => {
  const { problems } = judge(samples((hour) => ({ handles: 70 + Math.floor(20 * hour) })));
  expect(problems).toEqual([expect.stringMatching(/^handles grew from \d+ to \d+$/)]);
});

it('finds requests that become slower', () => {
  const { problems } = judge(samples((hour) => ({ p99Ms: 30 + 400 * hour })));
  expect(problems).toEqual([expect.stringMatching(/^the p99 grew from \d/)]);
});

it('has no verdict on a few samples', () => {
  expect(judge([steady, steady]).problems).toEqual(['the run was too short']);
});

it('writes one line for each sample', () => {
  expect(toCsv([steady])).toBe('seconds,heapMb,rssMb,handles,requests,p50Ms,p99Ms\n0,60,150,70,500,4,30\n');
});
