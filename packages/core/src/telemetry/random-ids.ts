import { randomFillSync } from 'node:crypto';

const traceIdBytes = 16;
const spanIdBytes = 8;
// Asked for one by one, random bytes cost more than the rest of a span.
const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

/** 32 hexadecimal digits. */
export function newTraceId(): string {
  return randomHex(traceIdBytes);
}

/** 16 hexadecimal digits. */
export function newSpanId(): string {
  return randomHex(spanIdBytes);
}

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const start = used;
  used += bytes;
  return pool.toString('hex', start, used);
}
