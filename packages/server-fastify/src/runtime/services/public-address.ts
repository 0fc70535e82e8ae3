/** The address under which a proxy that the server trusts was called. */
export interface ForwardedAddress {
  /** Such as `https://api.example.org`; undefined if the proxy did not send a valid one. */
  readonly origin: string | undefined;
  /** The path that the proxy has stripped, such as `/ai`; '' if none. */
  readonly path: string;
}

/** How clients reach this server. */
export interface PublicAddress {
  /** The address of the API, with the server's prefix: `https://api.example.org/ai`. */
  readonly url: string;
  /**
   * The path of the server on its host, without the server's prefix; '' at the root. Own pages of
   * the app are below it.
   */
  readonly root: string;
  /** The path of the API on its host, for links: `root` with the server's prefix. */
  readonly base: string;
  /**
   * The base of all paths in the OpenAPI document: the address that the app has set, else the path
   * on its host.
   */
  readonly documented: string;
}

interface PublicAddressOptions {
  /** The option of the server. */
  readonly publicUrl: string | undefined;
  /** The prefix of the server. */
  readonly prefix: string;
  /** The address that the server listens on. */
  readonly origin: () => string;
}

/** The address that the app has set; else that of the proxy; else the listening address. */
export function publicAddress(
  { origin, prefix, publicUrl }: PublicAddressOptions,
  forwarded: ForwardedAddress | undefined,
): PublicAddress {
  const set = publicUrl === undefined ? undefined : new URL(publicUrl);
  const root = set?.pathname.replace(/\/$/, '') ?? forwarded?.path ?? '';
  const base = `${root}${prefix}`;
  return {
    url: `${set?.origin ?? forwarded?.origin ?? origin()}${base}`,
    root,
    base,
    documented: set === undefined ? root || '/' : `${set.origin}${root}`,
  };
}

/**
 * Whether a text is the path of a URL that can be written into links and HTML as it is: segments of
 * unreserved characters, so that it is neither another host (`//example.org`) nor a step upwards.
 * Without a slash at the end.
 */
export function isUrlPath(text: string): boolean {
  return text.length <= 256 && /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/.test(text);
}
