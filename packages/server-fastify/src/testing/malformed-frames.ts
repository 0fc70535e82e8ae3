const mask = Buffer.from([1, 2, 3, 4]);

/** A malformed frame of a client. */
export function frame(first: number, payload: Buffer, { isMasked = true, length = payload.length } = {}): Buffer {
  const bit = isMasked ? 0x80 : 0;
  const head = [first];
  if (length < 126) head.push(bit | length);
  else if (length < 65_536) head.push(bit | 126, length >> 8, length & 255);
  else
    head.push(bit | 127, 0, 0, 0, 0, (length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255);
  if (!isMasked) return Buffer.concat([Buffer.from(head), payload]);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([Buffer.from(head), mask, masked]);
}

/** A random malformed frame. */
export function malformedFrame(random: (below: number) => number): Buffer {
  const noise = Buffer.from(Array.from({ length: random(40) }, () => random(256)));
  const kinds: readonly (() => Buffer)[] = [
    () => noise,
    () => frame(random(256), noise),
    () => frame(0x81, noise),
    () => frame(0x81, noise, { isMasked: false }),
    () => frame(0x83 + random(5), noise),
    () => frame(0x08 + random(3), noise),
    () => frame(0x81, noise, { length: random(0x7fffffff) }),
    () => frame(0xc1, noise),
    () => frame(0x80, noise),
    () => frame(0x88, noise),
    () => frame(0x82, noise),
    () => frame(0x89, Buffer.alloc(126 + random(10))),
    () => frame(0x81, Buffer.from('{}')),
  ];
  return (kinds[random(kinds.length)] ?? (() => noise))();
}

/** Mulberry32. */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
