import type { Packable, SpanRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import type { PackedChunk } from './packed-chunk.ts';
import { PackedSpans } from './packed-spans.ts';

function spanOf(text: string): Packable<SpanRecord> {
  return { pack: (to) => to.text(text), unpack: (from) => ({ name: from.text() }) as SpanRecord };
}

interface Place {
  readonly chunk: PackedChunk;
  readonly start: number;
}

function add(packed: PackedSpans, text: string): Place {
  packed.add(spanOf(text));
  return { chunk: packed.chunk, start: packed.start };
}

function nameAt({ chunk, start }: Place): string {
  const from = chunk.read(start);
  return from.shared<Packable<SpanRecord>['unpack']>()(from).name;
}

const filling = 'x'.repeat(240);

it('writes over chunks of which nothing is kept, and not over those that somebody reads', () => {
  const packed = new PackedSpans();
  const chunks = new Set<PackedChunk>();
  for (let count = 0; count < 5_000; count += 1) {
    const { chunk } = add(packed, filling);
    chunks.add(chunk);
    packed.forget(chunk);
  }
  expect(chunks.size).toBe(2);

  const read = add(packed, 'is read');
  expect(nameAt(read)).toBe('is read');
  packed.forget(read.chunk);
  for (let count = 0; count < 5_000; count += 1) packed.forget(add(packed, filling).chunk);
  expect(nameAt(read)).toBe('is read');
});

it('leaves what is kept as it is, while others around it are forgotten', () => {
  const packed = new PackedSpans();
  const kept: Place[] = [];
  for (let count = 0; count < 3_000; count += 1) {
    const place = add(packed, `${count} ${filling}`);
    if (count % 300 === 0) kept.push(place);
    else packed.forget(place.chunk);
  }
  expect(kept.map((place) => Number.parseInt(nameAt(place), 10))).toEqual(kept.map((_, index) => index * 300));
});

it('begins a span anew where its chunk is full to the last byte', () => {
  const packed = new PackedSpans();
  const places = Array.from({ length: 1_000 }, (_, index) => {
    packed.add({
      // With the number that each begins with, 64 fill a chunk.
      pack: (to) => {
        to.held(`${index}`);
        for (let count = 0; count < 255; count += 1) to.integer(count);
      },
      unpack: (from) => ({ name: from.held() }) as SpanRecord,
    });
    return { chunk: packed.chunk, start: packed.start };
  });
  expect(places[64]).toMatchObject({ start: 0 });
  expect(places.map(nameAt)).toEqual(places.map((_, index) => `${index}`));
});

it('takes a span that is larger than a chunk, and does not keep so large a chunk for others', () => {
  const packed = new PackedSpans();
  const texts = Array.from({ length: 1_000 }, (_, index) => `${index} ${'☃'.repeat(60)}`);
  const span: Packable<SpanRecord> = {
    pack: (to) => texts.forEach((text) => to.text(text)),
    unpack: (from) => ({ name: texts.map(() => from.text()).join() }) as SpanRecord,
  };
  packed.add(span);
  const large = { chunk: packed.chunk, start: packed.start };
  const small = add(packed, 'small');
  expect(packed.bytes).toBeLessThan(100);
  expect(nameAt(large)).toBe(texts.join());
  expect(nameAt(small)).toBe('small');
  expect(large.chunk.bytes.length).toBeGreaterThan(2 * 64 * 1024);

  for (const { chunk } of [large, small]) packed.forget(chunk);
  // One that nobody reads of.
  packed.add(span);
  const { length } = packed.chunk.bytes;
  packed.forget(packed.chunk);
  // What is left of it is written to, and then it is gone.
  const lengths: number[] = [];
  for (let count = 0; count < 2_000; count += 1) {
    const { chunk } = add(packed, filling);
    lengths.push(chunk.bytes.length);
    packed.forget(chunk);
  }
  const left = lengths.indexOf(64 * 1024);
  expect(left * filling.length).toBeLessThan(length);
  expect(new Set(lengths.slice(left))).toEqual(new Set([64 * 1024]));
});
