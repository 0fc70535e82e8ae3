import { randomFillSync } from 'node:crypto';

const digits = Buffer.from('0123456789abcdef');
const dash = 0x2d;
// To ask for random bytes costs far more than the bytes do: many at a time.
const random = Buffer.allocUnsafe(16 * 1024);
let used = random.length;
const text = Buffer.alloc(36);

// Ids are kept for long, and in numbers: here they are strings of one piece, and not of the many that `randomUUID` and templates put together.

/** A UUID of version 4, RFC 9562. */
export function newUuid(): string {
  const start = take(16);
  random[start + 6] = ((random[start + 6] ?? 0) & 0x0f) | 0x40;
  random[start + 8] = ((random[start + 8] ?? 0) & 0x3f) | 0x80;
  let at = 0;
  for (let index = 0; index < 16; index += 1) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text[at++] = dash;
    at = writeByte(random[start + index] ?? 0, at);
  }
  return text.toString('latin1', 0, at);
}

/** 16 hexadecimal digits, as W3C Trace Context has them. */
export function newSpanId(): string {
  return hexOf(randomInt32(), randomInt32());
}

const parts = new Int32Array(4096);
let usedParts = parts.length;

/** A part of an id: small numbers need no memory of their own, and most ids are never read. */
export function randomInt32(): number {
  if (usedParts === parts.length) {
    randomFillSync(parts);
    usedParts = 0;
  }
  return parts[usedParts++] ?? 0;
}

/** Eight hexadecimal digits for each. */
export function hexOf(...numbers: readonly number[]): string {
  let at = 0;
  for (const part of numbers) for (let shift = 24; shift >= 0; shift -= 8) at = writeByte((part >>> shift) & 0xff, at);
  return text.toString('latin1', 0, at);
}

/** @returns where as many fresh random bytes begin. */
function take(bytes: number): number {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  const start = used;
  used += bytes;
  return start;
}

function writeByte(byte: number, at: number): number {
  text[at] = digits[byte >> 4] ?? 0;
  text[at + 1] = digits[byte & 0x0f] ?? 0;
  return at + 2;
}
