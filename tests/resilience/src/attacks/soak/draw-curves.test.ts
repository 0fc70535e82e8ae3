import { expect, it } from 'vitest';
import { drawCurves } from './draw-curves.ts';
import type { Sample } from './samples.ts';

const samples: readonly Sample[] = Array.from({ length: 61 }, (_, index) => ({
  seconds: index * 10,
  heapMb: 61.5,
  rssMb: 180,
  handles: 72,
  requests: 500,
  p50Ms: 3,
  p99Ms: 30 + (index % 7),
}));

it('draws one curve with a point for each sample, in each panel', () => {
  const curves = drawCurves(samples, 'A run').match(/<polyline[^>]*>/g) ?? [];
  expect(curves).toHaveLength(4);
  for (const curve of curves) expect(curve.match(/\d,\d/g)).toHaveLength(samples.length);
});

it('labels the axes with round numbers that contain all values', () => {
  const picture = drawCurves(samples, 'A run');
  for (const label of ['>80</text>', '>200</text>', '>40</text>', '>10 min</text>']) expect(picture).toContain(label);
});

it('has colours for dark pages', () => {
  expect(drawCurves(samples, 'A run')).toContain('@media (prefers-color-scheme: dark)');
});
