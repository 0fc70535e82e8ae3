import type { ProviderMetadata } from './agent-event.ts';

/** A file that a model generated. */
export interface GeneratedFile {
  readonly mediaType: string;
  /** A `data:` URL, or the provider's own. */
  readonly url: string;
  /** The content. Empty for a file that the provider only names by a URL. */
  readonly base64: string;
  /** The content as bytes, decoded when it is read. */
  readonly uint8Array: Uint8Array;
  readonly providerMetadata?: ProviderMetadata;
}

/** @param url a `data:` URL, or the provider's own. */
export function toGeneratedFile(
  mediaType: string,
  url: string,
  providerMetadata: ProviderMetadata | undefined,
): GeneratedFile {
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1] ?? '';
  return {
    mediaType,
    url,
    base64,
    get uint8Array() {
      return new Uint8Array(Buffer.from(base64, 'base64'));
    },
    ...(providerMetadata !== undefined && { providerMetadata }),
  };
}
