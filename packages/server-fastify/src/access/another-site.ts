/**
 * Whether a browser sent the request for a page of another site. Browsers set these headers
 * themselves, so no page can change them; programs other than browsers send neither.
 *
 * @param host the host that the client addressed, with its port. The scheme is not compared: it
 * differs behind a proxy that terminates TLS.
 */
export function isFromAnotherSite(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  host: string | undefined,
): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site === 'cross-site') return true;
  // A proxy may have replaced the host, but the browser has compared the addresses that it knows.
  if (origin === undefined || site === 'same-origin') return false;
  if (typeof origin !== 'string' || host === undefined || !URL.canParse(origin)) return true;
  const { host: originHost, protocol } = new URL(origin);
  const own = `${protocol}//${host}`;
  return originHost === '' || !URL.canParse(own) || new URL(own).host !== originHost;
}
