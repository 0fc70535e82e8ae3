/** The same text as one string: that of a UUID is made of many short pieces, which would be kept with it and take four times its place. */
export function inOnePiece(id: string): string {
  const whole = Buffer.from(id).toString();
  // Halves of surrogate pairs have no place in UTF-8.
  return whole === id ? whole : id;
}
