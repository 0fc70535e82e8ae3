const secret: ReadonlySet<string> = new Set(['key', 'token']);
const redacted = '[redacted]';

/** Replaces the values of `key` and `token` in the query of a URL, in any encoding and case. */
export function redactUrl(url: string): string {
  const start = url.search(/[?#]/);
  if (start === -1) return url;
  return url.slice(0, start + 1) + url.slice(start + 1).replaceAll(/[^&;?#]+/g, redactPair);
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=');
  if (equals === -1) return pair;
  const name = nameOf(pair.slice(0, equals));
  return name === undefined || secret.has(name) ? `${pair.slice(0, equals)}=${redacted}` : pair;
}

function nameOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).trim().toLowerCase();
  } catch {
    return undefined;
  }
}
