import { isProduction } from '@halyard/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessRefusedError } from '../../access/access-refused-error.ts';
import { html } from '../../api/routes/documents/html.ts';
import { pagesForPeople } from '../../api/routes/documents/pages-for-people.ts';
import { acceptsHtml, noticeHeaders, noticePage } from './notice-page.ts';

/**
 * Whether a person in a browser reads the refusal of a page. @param url the route of the request,
 * without the prefix of the server.
 */
export function needsKeyPage(error: AccessRefusedError, request: FastifyRequest, url: string | undefined): boolean {
  return (
    request.method === 'GET' &&
    pagesForPeople.has(url ?? '') &&
    !error.wantsToken &&
    acceptsHtml(request.headers.accept)
  );
}

/** Asks for the console key, which the form adds to the address of the same page. */
export function sendKeyPage(
  { code, isRejection }: AccessRefusedError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const content = html` ${isRejection ? html`<p class="wrong" role="alert">The server does not accept this key.</p>` : ''}
    <form method="get">
      <label for="key">Console key</label>
      <div>
        <input id="key" name="key" type="password" required autofocus autocomplete="current-password" />
        <button>Open</button>
      </div>
    </form>
    <p>The key is the value of <code>SERVICE_CONSOLE_ACCESS_KEY</code> in the environment of the server.</p>
    ${isProduction() ? '' : html`<p>In development, <a href="${consoleFrom(request)}">the console</a> opens without a key on this machine.</p>`}`;
  return reply
    .code(401)
    .header('x-request-id', request.id)
    .header('x-error-code', code)
    .headers(noticeHeaders)
    .send(noticePage('This page needs the console key', content));
}

/** Relative, because a proxy may serve the page at another address. */
function consoleFrom({ routeOptions, url }: FastifyRequest): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const isBelow = routeOptions.url?.endsWith('/ui/') === true;
  if (path.endsWith('/')) return isBelow ? '../console' : 'console';
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === 'ui' || last === 'doc' ? 'console' : `${last}/console`;
}
