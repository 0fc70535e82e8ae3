import { describe, expect, it } from 'vitest';
import { TraceId } from '../telemetry/trace-id.ts';
import { newSpanId, newUuid } from './random-ids.ts';

const many = Array.from({ length: 2_000 });

describe('random ids', () => {
  it.each([
    ['UUIDs of version 4', newUuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['trace ids', () => String(new TraceId()), /^[0-9a-f]{32}$/],
    ['span ids', newSpanId, /^[0-9a-f]{16}$/],
  ])('makes %s, each another one', (_, next, shape) => {
    const ids = many.map(() => next());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  });

  it('uses every digit at every place that is free', () => {
    const ids = many.map(() => String(new TraceId()));
    const seen = Array.from({ length: 32 }, (_, place) => new Set(ids.map((id) => id[place])).size);
    expect(seen).toEqual(Array.from({ length: 32 }, () => 16));
  });
});
