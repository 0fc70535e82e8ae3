import { createHash } from 'node:crypto';
import { Html, html } from '../../api/routes/documents/html.ts';
import { landingStyle } from '../../api/routes/documents/landing-style.ts';

const styleElement = new Html(`<style>${landingStyle}</style>`);

/** The headers of {@link noticePage}: only its own style is allowed. A form may send to this server. */
export const noticeHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(landingStyle).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Other sites learn nothing. With `no-referrer`, a form would be sent with the origin `null`.
  'referrer-policy': 'same-origin',
};

/** A page for people, for an address that has nothing else to show yet. */
export function noticePage(title: string, content: Html, { reloadSeconds }: { reloadSeconds?: number } = {}): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${reloadSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${reloadSeconds}" />`}
        <title>${title} · Halyard</title>
        ${styleElement}
      </head>
      <body>
        <header>
          <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" /></svg>
          <div><h1>Halyard</h1></div>
        </header>
        <main class="notice">
          <h2>${title}</h2>
          ${content}
        </main>
      </body>
    </html> `.text;
}

/** Whether a person reads the reply. */
export function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b/i.test(accept);
}
