import { type NextRequest, NextResponse } from 'next/server';

/**
 * Pages, but neither files nor the answers of the Halyard server, which have a policy of their own.
 */
export const config = { matcher: '/((?!halyard/|_next/|icon.svg$).*)' };

/**
 * Gives each page a Content-Security-Policy with a nonce. Next.js finds the nonce in the request,
 * and adds it to its scripts.
 */
export function proxy({ headers }: NextRequest): NextResponse {
  const policy = policyWith(crypto.randomUUID());
  const request = new Headers(headers);
  request.set('content-security-policy', policy);
  const response = NextResponse.next({ request: { headers: request } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('x-content-type-options', 'nosniff');
  response.headers.set('referrer-policy', 'no-referrer');
  return response;
}

function policyWith(nonce: string): string {
  const isDevelopment = process.env['NODE_ENV'] === 'development';
  return [
    "default-src 'none'",
    // During development, React evaluates code to show where an error comes from, and Next.js
    // inserts styles without a nonce.
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "connect-src 'self'",
    // Pictures of other hosts are not loaded: a model could send what it knows to a host of its
    // choice, in the URL of a picture.
    "img-src 'self' data:",
    ...(isDevelopment ? ["font-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
