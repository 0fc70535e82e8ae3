/** A request of the explorer. */
export interface ExplorerRequest {
  url: string;
  readonly headers: Record<string, string>;
  /** Whether the explorer loads the OpenAPI document. */
  readonly loadSpec?: boolean;
}

/** The page, in the browser. */
declare const window: {
  readonly location: { readonly href: string };
  readonly history: { readonly state: unknown; replaceState(state: unknown, unused: string, url: URL): void };
  /** The key of the address that the page was opened with. */
  halyardConsoleKey?: string | undefined;
};

/**
 * Runs in the browser, where nothing else of this file exists. Sends the console key with each
 * request to this server. With the first one, which loads the document, it takes the key out of the
 * address, where others would see it, and the history would keep it.
 */
export function sendConsoleKey(request: ExplorerRequest): ExplorerRequest {
  const page = new URL(window.location.href);
  const sent = page.searchParams.get('key');
  if (sent !== null) {
    window.halyardConsoleKey = sent;
    page.searchParams.delete('key');
    window.history.replaceState(window.history.state, '', page);
  }
  const key = window.halyardConsoleKey;
  if (key === undefined) return request;
  // The explorer appends the path of the document to the query.
  if (request.loadSpec === true) request.url = `${page.pathname.replace(/\/$/, '')}/json`;
  if (new URL(request.url, page).origin === page.origin) request.headers['x-console-access-key'] = key;
  return request;
}
