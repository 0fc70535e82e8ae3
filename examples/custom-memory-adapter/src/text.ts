/**
 * Begins the escape of a character that SQLite cannot store. It is very rare in texts, so that
 * nearly all are stored unchanged.
 */
const mark = '\uE0FF';

/**
 * A string as SQLite stores it. Escaped are NUL, which ends a text in SQLite, and unpaired
 * surrogates, which UTF-8 cannot represent. All other texts and their order stay the same.
 */
export function toText(value: string): string {
  if (value.isWellFormed() && !value.includes('\0') && !value.includes(mark)) return value;
  return value
    .replaceAll(mark, code)
    .replaceAll('\0', code)
    .replaceAll(/\p{Surrogate}/gu, code);
}

export function fromText(text: string): string {
  const [plain = '', ...coded] = text.split(mark);
  return (
    plain + coded.map((piece) => String.fromCharCode(Number.parseInt(piece.slice(0, 4), 16)) + piece.slice(4)).join('')
  );
}

function code(character: string): string {
  return mark + character.charCodeAt(0).toString(16).padStart(4, '0');
}
