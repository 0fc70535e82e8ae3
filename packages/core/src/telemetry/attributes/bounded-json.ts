import { cutText } from '@halyard/contracts';

/** The greatest length of an attribute with content, in characters. */
export const contentLimit = 32_768;
const maxDepth = 12;

/**
 * Content as the text of an attribute, cut to the greatest length: a string as it is, anything else
 * as JSON. Binary data and `data:` URLs are replaced by their type and size. Never throws.
 */
export function boundedText(value: unknown): string {
  const bounds = new ContentBounds();
  const bounded = bounds.copy(value);
  return typeof bounded === 'string' ? bounded : boundedJson(bounded);
}

/** JSON of a value that {@link ContentBounds} copied. It is cut where escapes make it too long. */
export function boundedJson(copy: unknown): string {
  return cutText(JSON.stringify(copy) ?? 'null', contentLimit);
}

/**
 * Copies values until the greatest length is used up. All copies of one instance share that length.
 */
export class ContentBounds {
  #left = contentLimit;

  get isFull(): boolean {
    return this.#left <= 0;
  }

  copy(value: unknown, depth = 0): unknown {
    this.#left -= 4;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value ?? null;
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[binary, ${value.byteLength} bytes]`;
    if (depth > maxDepth) return '…';
    if (Array.isArray(value)) return this.#array(value, depth);
    if (value instanceof Date || value instanceof URL) return this.copy(value.toJSON());
    return this.#object(value, depth);
  }

  #text(text: string): string {
    const shown = text.startsWith('data:') ? withoutData(text) : text;
    const cut = shown.length > this.#left ? `${cutText(shown, this.#left)}…` : shown;
    this.#left -= cut.length;
    return cut;
  }

  #array(values: readonly unknown[], depth: number): unknown[] {
    const copies: unknown[] = [];
    for (const value of values) {
      if (this.isFull) {
        copies.push('…');
        break;
      }
      copies.push(this.copy(value, depth + 1));
    }
    return copies;
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const copies: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(value)) {
      if (this.isFull) {
        copies['…'] = '…';
        break;
      }
      if (item === undefined) continue;
      this.#left -= name.length;
      copies[name] = this.copy(item, depth + 1);
    }
    return copies;
  }
}

/** `data:image/png;base64,…` → `[image/png, 1234 bytes]`. */
function withoutData(url: string): string {
  const comma = url.indexOf(',');
  if (comma === -1) return url;
  const [mediaType = '', ...parameters] = cutText(url, comma).slice('data:'.length).split(';');
  const length = url.length - comma - 1;
  const bytes = parameters.includes('base64') ? Math.floor((length * 3) / 4) : length;
  return `[${mediaType || 'text/plain'}, ${bytes} bytes]`;
}
