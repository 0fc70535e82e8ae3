import { describe, expect, it } from 'vitest';
import { percentile, trendOf } from './trend.ts';

/** Noise between -1 and 1 that is the same each time. */
function noise(index: number): number {
  return Math.sin(index * 12.9898) * Math.cos(index * 78.233);
}

describe('trendOf', () => {
  it('finds the slope of a line', () => {
    const points = Array.from({ length: 100 }, (_, x) => ({ x, y: 3 * x + 7 }));
    expect(trendOf(points)?.slope).toBeCloseTo(3, 9);
  });

  it('includes zero in the interval of noise', () => {
    const points = Array.from({ length: 360 }, (_, x) => ({ x, y: 50 + noise(x) }));
    const trend = trendOf(points);
    expect(trend?.low).toBeLessThan(0);
    expect(trend?.high).toBeGreaterThan(0);
  });

  it('excludes zero when the values grow by more than their noise', () => {
    const points = Array.from({ length: 360 }, (_, x) => ({ x, y: 50 + 0.02 * x + noise(x) }));
    expect(trendOf(points)?.low).toBeGreaterThan(0);
  });

  it('has the interval of a textbook example', () => {
    // The quantile of t for three degrees of freedom is 3.182.
    const points = [1, 2, 3, 4, 5].map((x, index) => ({ x, y: [1.2, 2.4, 3.1, 3.9, 5.4][index] ?? 0 }));
    const trend = trendOf(points);
    expect(trend?.slope).toBeCloseTo(0.99, 9);
    expect((trend?.high ?? 0) - (trend?.slope ?? 0)).toBeCloseTo(0.245, 2);
  });

  it('needs four points', () => {
    expect(trendOf([1, 2, 3].map((x) => ({ x, y: x })))).toBeUndefined();
  });
});

describe('percentile', () => {
  it('is a value of the list', () => {
    expect(percentile([5, 1, 4, 2, 3], 50)).toBe(3);
    expect(percentile([5, 1, 4, 2, 3], 99)).toBe(5);
    expect(percentile([], 99)).toBe(0);
  });
});
