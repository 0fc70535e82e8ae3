import { expect, it } from 'vitest';
import { formatAgo, formatBytes, formatCost, formatCosts, formatCount, formatDuration, shortId } from './format.ts';

it.each([
  [0, '0'],
  [1_204, '1,204'],
  [9_999, '9,999'],
  [10_000, '10K'],
  [12_449, '12.4K'],
  [-12_449, '-12.4K'],
  [3_200_000, '3.2M'],
])('writes the count %d as %s', (value, text) => {
  expect(formatCount(value)).toBe(text);
});

it.each([
  [0, '0 ms'],
  [0.44, '0.4 ms'],
  [9.5, '9.5 ms'],
  [38.4, '38 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_254, '1.25 s'],
  [12_345, '12.3 s'],
  [59_900, '59.9 s'],
  [60_000, '1 min'],
  [192_000, '3 min 12 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_400_000, '1 d'],
  [273_600_000, '3 d 4 h'],
])('writes %d ms as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

it.each([
  [0, 'now'],
  [999, 'now'],
  [-999, 'now'],
  [12_900, '12 s ago'],
  [192_000, '3 min ago'],
  [-300_000, 'in 5 min'],
])('writes a time %d ms before now as %s', (difference, text) => {
  expect(formatAgo(1_000_000, 1_000_000 + difference)).toBe(text);
});

it.each([
  [0, '$0'],
  [0.004_23, '$0.0042'],
  [0.01, '$0.01'],
  [1.249, '$1.25'],
])('writes %d dollars as %s', (dollars, text) => {
  expect(formatCost(dollars)).toBe(text);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [12_345, '12 KB'],
  [5_200_000_000_000_000, '5200 TB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

it.each([
  ['order-1', 'order-1'],
  ['0123456789abcd', '0123456789abcd'],
  ['0190b5a2-7c3e-7d11-9a5e-2f6d1c4b8e90', '0190b5a2…8e90'],
  ['customer-of-the-year1', 'customer-of-the-year1'],
  ['the-customer-of-the-year-2027', '…mer-of-the-year-2027'],
])('shortens the id %s to %s', (id, text) => {
  expect(shortId(id)).toBe(text);
});

it('says which costs are unknown', () => {
  expect(formatCosts({ cost: null, unpricedCalls: 0 })).toBe('–');
  expect(formatCosts({ cost: null, unpricedCalls: 2 })).toBe('unknown');
  expect(formatCosts({ cost: 0, unpricedCalls: 0 })).toBe(formatCost(0));
  expect(formatCosts({ cost: 0.5, unpricedCalls: 2 })).toBe(`${formatCost(0.5)} + unknown`);
});
