import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The codings of replies, the preferred one first. */
export const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

const compress = {
  br: (text: string) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text: string) => promisify(gzip)(text),
} as const;

/** A text that many requests get. Its ETag and each coding are computed once. */
export class FixedText {
  readonly text: string;
  /** Weak: it names the text in every coding, also in those of a proxy. */
  readonly etag: string;
  readonly #encoded = new Map<ContentCoding, Promise<Buffer>>();

  constructor(text: string) {
    this.text = text;
    this.etag = `W/"${createHash('sha256').update(text).digest('base64url')}"`;
  }

  encoded(coding: ContentCoding): Promise<Buffer> {
    const encoded = this.#encoded.get(coding) ?? compress[coding](this.text);
    this.#encoded.set(coding, encoded);
    return encoded;
  }
}
